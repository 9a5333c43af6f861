"""Rewards over HTTP, asked for in threads while the next responses are sampled.

The client tries again until the deadline, each chunk under one key, so a service that restarts costs time only; past
the deadline the error ends the training, because no reward may be invented. A reward that is missing stays None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, Self

from trueward.client import Client, calls
from trueward.client.state import RecipeInfo
from trueward.errors import Forbidden, NotFound
from trueward.trainers.alignment import Span
from trueward.trainers.missing import Missing
from trueward.wire.recipe import RecipeValidation
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, Split, TokenLogprobs
from trueward_trainer.config import Service
from trueward_trainer.feeding import Exchange
from trueward_trainer.rollout import Response

IN_FLIGHT = 4
Offsets = Callable[[Response], list[Span] | None]
"""The characters of a response's text that each of its tokens stands for; None where they cannot be told."""


class Judged(NamedTuple):
    """``draws``: by group, how probable each of its responses is to be drawn again, where a rule of the recipe says."""

    rewards: list[Reward]
    draws: Mapping[str, Sequence[float]]


class Scorer:
    """Asks one service for the rewards of one run. With ``offsets`` log-probabilities are sent with their places."""

    def __init__(self, service: Service, offsets: Offsets | None = None) -> None:
        self.client = Client(service.url)
        self.min_weights: dict[str, int] = {}
        self.sends_logprobs = offsets is not None
        self._offsets = offsets
        self._service = service
        self._missing = Missing(service.run)
        self._pool = ThreadPoolExecutor(IN_FLIGHT, thread_name_prefix="rewards")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.client.close()

    def exchange(self) -> Exchange | None:
        """What the recipe reads and gives; from here on log-probabilities are sent where it reads them.

        None where the service does not tell, or not to this key. Raises :mod:`trueward.errors`.
        """
        recipe, deadline_s = self._service.recipe, self._service.deadline_s
        told: RecipeInfo | RecipeValidation
        try:
            if isinstance(recipe, str):
                told = self.client.call(calls.recipe(recipe), deadline_s)
            else:
                told = self.client.call(calls.validate_recipe(recipe, "standardised"), deadline_s)
        except (Forbidden, NotFound):
            return None  # scoring says what is wrong, if anything is
        if told.reads is None or told.gives is None:
            return None
        self.sends_logprobs = "logprobs" in told.reads or self._offsets is not None
        return Exchange(frozenset(told.reads), frozenset(told.gives))

    def ask(
        self, prompts: Sequence[Sample], responses: Sequence[Response], names: Sequence[str], step: int, split: Split
    ) -> Future[Judged]:
        """One reward a response, in order; ``names`` are the groups, one a prompt, of as many responses each."""
        samples = as_samples(prompts, responses, names, logprobs=self.sends_logprobs, offsets=self._offsets)
        return self._pool.submit(self._rewards, samples, step, split, dict(self.min_weights))

    def _rewards(self, samples: Sequence[Sample], step: int, split: Split, min_weights: Mapping[str, int]) -> Judged:
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
        return Judged(answer.rewards, {group.group: group.draw for group in answer.groups if group.draw is not None})


def as_samples(
    prompts: Sequence[Sample],
    responses: Sequence[Response],
    names: Sequence[str],
    *,
    logprobs: bool = False,
    offsets: Offsets | None = None,
) -> list[Sample]:
    """The prompts' own fields, each with a response; a hint is named, so that the service takes it out.

    With ``logprobs`` those of the sampler, of responses whose tokens have one each; with ``offsets`` their places, too.
    """
    size = len(responses) // len(prompts)
    return [
        prompts[place // size].model_copy(
            update={
                "response": said.text,
                "group": names[place // size],
                "finish_reason": said.finish_reason,
                "tokens": len(said.tokens),
                "logprobs": _logprobs(said, offsets) if logprobs else None,
            }
        )
        for place, said in enumerate(responses)
    ]


def _logprobs(said: Response, offsets: Offsets | None) -> TokenLogprobs | None:
    if not said.known or not all(map(math.isfinite, said.logprobs)):
        return None
    places = offsets(said) if offsets is not None else None
    return TokenLogprobs(token_ids=said.tokens, logprobs=said.logprobs, offsets=places)
