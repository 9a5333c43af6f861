"""What one step learns from: groups of responses with their rewards, sampled and scored at the same time.

``prompts_at_once`` prompts are sampled, their rewards are asked for, and the next are sampled meanwhile. With
``resample`` (dynamic sampling of DAPO, arXiv 2503.14476) groups whose responses are all right or all wrong make room
for groups of further prompts; it goes by outcomes, not by shaped rewards. Where the draws are used up, what was set
aside fills the step.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass

import torch

from trueward.rlvr.config import TrainConfig
from trueward.rlvr.policy import Policy
from trueward.rlvr.prompts import Order
from trueward.rlvr.rollout import Response, Sampler
from trueward.rlvr.scoring import Scorer
from trueward.types import Outcome, Reward, Sample


@dataclass(frozen=True, slots=True)
class Group:
    prompt: Sample
    responses: Sequence[Response]
    rewards: Sequence[Reward]

    @property
    def teaches(self) -> bool:
        """Whether some responses are right and some are not, among those that were judged."""
        right = {reward.outcome is Outcome.CORRECT for reward in self.rewards if not reward.outcome.missing}
        return len(right) == 2


@dataclass(frozen=True, slots=True)
class Experience:
    """Groups of equal size; ``position`` is that of the first prompt that was not taken.

    ``wait_s``: the time in which sampling was over and rewards were not there; ``drawn``: the groups that were sampled.
    """

    groups: list[Group]
    position: int
    wait_s: float
    drawn: int

    @property
    def prompts(self) -> list[Sample]:
        return [group.prompt for group in self.groups]

    @property
    def responses(self) -> list[Response]:
        return [response for group in self.groups for response in group.responses]

    @property
    def rewards(self) -> list[Reward]:
        return [reward for group in self.groups for reward in group.rewards]


@dataclass(frozen=True, slots=True)
class _Asked:
    prompts: Sequence[Sample]
    responses: Sequence[Response]
    rewards: Future[list[Reward]]


class Collector:
    def __init__(
        self, config: TrainConfig, policy: Policy, prompts: Sequence[Sample], sampler: Sampler, scorer: Scorer
    ) -> None:
        self._rollout = config.rollout
        self._policy = policy
        self._prompts = prompts
        self._order = Order(len(prompts), config.seed)
        self._sampler = sampler
        self._scorer = scorer

    def collect(self, step: int, position: int, generator: torch.Generator) -> Experience:
        wanted = self._rollout.prompts
        kept: list[Group] = []
        aside: list[Group] = []
        wait_s = 0.0
        for draw in range(self._rollout.resample + 1):
            asked = self._sample(self._order.take(position, wanted), f"{step}-{draw}", step, generator)
            position += wanted
            started = time.perf_counter()
            for group in _answered(asked, self._rollout.group):
                (kept if group.teaches or not self._rollout.resample else aside).append(group)
            wait_s += time.perf_counter() - started
            if len(kept) >= wanted:
                break
        return Experience([*kept, *aside][:wanted], position, wait_s, len(kept) + len(aside))

    def _sample(self, places: Sequence[int], name: str, step: int, generator: torch.Generator) -> list[_Asked]:
        found = []
        for start in range(0, len(places), self._rollout.prompts_at_once):
            prompts = [self._prompts[place] for place in places[start : start + self._rollout.prompts_at_once]]
            names = [f"{name}-{start + offset}" for offset in range(len(prompts))]
            with self._policy.arithmetic():
                said = self._sampler.sample(prompts, self._rollout.group, self._rollout.temperature, generator)
            found.append(_Asked(prompts, said, self._scorer.ask(prompts, said, names, step, "train")))
        return found


def tossed(rewards: Sequence[float | None], seed: str) -> list[float | None]:
    """A coin's 0 or 1 in place of each reward that is there: what is learnt from them is owed to no reward."""
    coin = random.Random(seed)
    return [None if reward is None else float(coin.random() < 0.5) for reward in rewards]


def _answered(asked: Sequence[_Asked], size: int) -> list[Group]:
    found = []
    for one in asked:
        rewards = one.rewards.result()
        for place, prompt in enumerate(one.prompts):
            members = slice(place * size, (place + 1) * size)
            found.append(Group(prompt, one.responses[members], rewards[members]))
    return found
