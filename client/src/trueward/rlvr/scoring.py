"""Rewards over HTTP, asked for in threads while the next responses are sampled.

The client tries again until the deadline, each chunk under one key, so a service that restarts costs time only; past
the deadline the error ends the training, because no reward may be invented. A reward that is missing stays None.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from trueward.client import Client
from trueward.rlvr.config import Service
from trueward.rlvr.rollout import Response
from trueward.trainers.missing import Missing
from trueward.types import Reward, Sample, Split

IN_FLIGHT = 4


class Scorer:
    """Asks one service for the rewards of one run."""

    def __init__(self, service: Service) -> None:
        self.client = Client(service.url)
        self.min_weights: dict[str, int] = {}
        self._service = service
        self._missing = Missing(service.run)
        self._pool = ThreadPoolExecutor(IN_FLIGHT, thread_name_prefix="rewards")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.client.close()

    def ask(
        self, prompts: Sequence[Sample], responses: Sequence[Response], names: Sequence[str], step: int, split: Split
    ) -> Future[list[Reward]]:
        """One reward a response, in order; ``names`` are the groups, one a prompt, of as many responses each."""
        samples = as_samples(prompts, responses, names)
        return self._pool.submit(self._rewards, samples, step, split, dict(self.min_weights))

    def _rewards(
        self, samples: Sequence[Sample], step: int, split: Split, min_weights: Mapping[str, int]
    ) -> list[Reward]:
        answer = self.client.reward(
            samples,
            recipe=self._service.recipe,
            deadline_s=self._service.deadline_s,
            run=self._service.run,
            step=step,
            policy=f"step-{step}",
            split=split,
            min_weights=min_weights or None,
        )
        self._missing.tell(answer.rewards)
        return answer.rewards


def as_samples(prompts: Sequence[Sample], responses: Sequence[Response], names: Sequence[str]) -> list[Sample]:
    """The prompts' own fields, each with a response; a hint is named, so that the service takes it out."""
    size = len(responses) // len(prompts)
    return [
        prompts[place // size].model_copy(
            update={
                "response": said.text,
                "group": names[place // size],
                "finish_reason": said.finish_reason,
                "tokens": len(said.tokens),
            }
        )
        for place, said in enumerate(responses)
    ]
