"""Groups of responses to one prompt, sampled and judged at the same time.

``prompts_at_once`` prompts are sampled, their rewards are asked for, and the next are sampled meanwhile. Where the
policy is shown a hint, the service is told the prompt without it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace

import torch

from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Outcome
from trueward_trainer.advantages import is_mixed
from trueward_trainer.config import Rollout
from trueward_trainer.policy import Policy
from trueward_trainer.rollout import Response, Sampling
from trueward_trainer.scoring import Judged, Scorer

_WRONG = frozenset({Outcome.INCORRECT, Outcome.PARTIAL, Outcome.INVALID})


@dataclass(frozen=True, slots=True)
class Group:
    """``level`` is that of the hint which made some of the responses, from 1; then ``before`` are the rewards of the
    responses that were sampled without it, whose place they took.

    ``draw``: how probable each response is to be drawn for the update, by a rule of the recipe; None: each is in it
    once.
    """

    prompt: Sample
    responses: Sequence[Response]
    rewards: Sequence[Reward]
    level: int = 0
    before: Sequence[Reward] = ()
    draw: Sequence[float] | None = None

    @property
    def teaches(self) -> bool:
        """Whether some responses are right and some are not, among those that were judged."""
        return is_mixed(self.rewards)

    @property
    def wrong(self) -> bool:
        """Whether every response was judged, and none is right; a reward that is missing is not wrong."""
        return all(reward.outcome in _WRONG for reward in self.rewards)

    @property
    def right(self) -> list[int]:
        """Places of the right responses."""
        return [place for place, reward in enumerate(self.rewards) if reward.outcome is Outcome.CORRECT]

    @property
    def unhinted(self) -> Sequence[Reward]:
        """Rewards of what the policy said by itself."""
        return self.before or self.rewards


@dataclass(frozen=True, slots=True)
class GroupRequest:
    """One group to sample: ``name`` is its name for the service, ``hinted`` what the policy is shown in place of
    ``prompt``."""

    prompt: Sample
    name: str
    hinted: Sample | None = None


@dataclass(frozen=True, slots=True)
class _Asked:
    asks: Sequence[GroupRequest]
    responses: Sequence[Response]
    judged: Future[Judged]


class GroupSampler:
    """``wait_s`` adds up the time in which sampling was over and rewards were not there."""

    def __init__(self, rollout: Rollout, policy: Policy, sampler: Sampling, scorer: Scorer) -> None:
        self.wait_s = 0.0
        self._rollout = rollout
        self._policy = policy
        self._sampler = sampler
        self._scorer = scorer

    def draw(
        self, asks: Sequence[GroupRequest], count: int, step: int, split: Split, generator: torch.Generator
    ) -> list[Group]:
        """A group of ``count`` responses an ask, in order."""
        at_once = self._rollout.prompts_at_once
        asked = [
            self._ask(asks[start : start + at_once], count, step, split, generator)
            for start in range(0, len(asks), at_once)
        ]
        started = time.perf_counter()
        found = [group for one in asked for group in _answered(one, count)]
        self.wait_s += time.perf_counter() - started
        return found

    def judge(
        self, asks: Sequence[GroupRequest], responses: Sequence[Sequence[Response]], step: int, split: Split
    ) -> list[Group]:
        """Groups of responses that are there already."""
        wanted = [
            self._scorer.ask([ask.prompt], said, [ask.name], step, split)
            for ask, said in zip(asks, responses, strict=True)
        ]
        started = time.perf_counter()
        found = [
            _group(ask, said, future.result().rewards, future.result())
            for ask, said, future in zip(asks, responses, wanted, strict=True)
        ]
        self.wait_s += time.perf_counter() - started
        return found

    def _ask(
        self, asks: Sequence[GroupRequest], count: int, step: int, split: Split, generator: torch.Generator
    ) -> _Asked:
        shown = [ask.hinted or ask.prompt for ask in asks]
        with self._policy.arithmetic():
            said = self._sampler.sample(shown, count, self._rollout.temperature, generator)
        said = [self._restore_prompt(asks[place // count], one) for place, one in enumerate(said)]
        prompts, names = [ask.prompt for ask in asks], [ask.name for ask in asks]
        return _Asked(asks, said, self._scorer.ask(prompts, said, names, step, split))

    def _restore_prompt(self, ask: GroupRequest, said: Response) -> Response:
        """With the prompt that the policy is to answer, beside the one that it was shown."""
        if ask.hinted is None:
            return said
        return replace(said, prompt_ids=self._sampler.encode(ask.prompt), hinted_ids=said.prompt_ids)


def _answered(asked: _Asked, size: int) -> list[Group]:
    judged = asked.judged.result()
    members = [slice(place * size, (place + 1) * size) for place in range(len(asked.asks))]
    return [
        _group(ask, asked.responses[some], judged.rewards[some], judged)
        for ask, some in zip(asked.asks, members, strict=True)
    ]


def _group(ask: GroupRequest, responses: Sequence[Response], rewards: Sequence[Reward], judged: Judged) -> Group:
    return Group(ask.prompt, responses, rewards, draw=judged.draws.get(ask.name))
