"""What one step learns from: groups of responses with their rewards.

With ``resample`` (dynamic sampling of DAPO, arXiv 2503.14476) groups whose responses are all right or all wrong make
room for groups of further prompts; it goes by outcomes, not by shaped rewards. Where the draws are used up, what was
set aside fills the step. With ``hints`` groups that are all wrong are helped first.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch

from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward_trainer import hints
from trueward_trainer.config import TrainConfig
from trueward_trainer.groups import Group, GroupRequest, GroupSampler
from trueward_trainer.hints import Hints
from trueward_trainer.policy import Policy
from trueward_trainer.prompts import Order
from trueward_trainer.rollout import Response, Sampling
from trueward_trainer.scoring import Scorer


@dataclass(frozen=True, slots=True)
class Experience:
    """Groups of equal size; ``position`` is that of the first prompt that was not taken.

    ``wait_s``: the time in which sampling was over and rewards were not there; ``drawn``: the groups that were sampled;
    ``metrics``: what hints did.
    """

    groups: list[Group]
    position: int
    wait_s: float
    drawn: int
    metrics: Mapping[str, float] = field(default_factory=dict)

    @property
    def prompts(self) -> list[Sample]:
        return [group.prompt for group in self.groups]

    @property
    def responses(self) -> list[Response]:
        return [response for group in self.groups for response in group.responses]

    @property
    def rewards(self) -> list[Reward]:
        return [reward for group in self.groups for reward in group.rewards]

    @property
    def unhinted(self) -> list[Reward]:
        """Rewards of what the policy said by itself; those of hinted responses are left out."""
        return [reward for group in self.groups for reward in group.unhinted]


class Collector:
    def __init__(
        self, config: TrainConfig, policy: Policy, prompts: Sequence[Sample], sampler: Sampling, scorer: Scorer
    ) -> None:
        plan = config.rollout.hints
        self._rollout = config.rollout
        self._prompts = prompts
        self._order = Order(len(prompts), config.seed)
        self._groups = GroupSampler(config.rollout, policy, sampler, scorer)
        self._hints = Hints(plan, prompts, config.rollout.group, self._groups) if plan else None

    def collect(self, step: int, position: int, generator: torch.Generator) -> Experience:
        wanted = self._rollout.prompts
        kept: list[Group] = []
        aside: list[Group] = []
        self._groups.wait_s = 0.0
        for draw in range(self._rollout.resample + 1):
            for group in self._draw(self._order.take(position, wanted), f"{step}-{draw}", step, generator):
                (kept if group.teaches or not self._rollout.resample else aside).append(group)
            position += wanted
            if len(kept) >= wanted:
                break
        seen = [*kept, *aside]
        metrics = hints.summarise_hints(seen) if self._hints else {}
        return Experience(seen[:wanted], position, self._groups.wait_s, len(seen), metrics)

    def _draw(self, places: Sequence[int], name: str, step: int, generator: torch.Generator) -> list[Group]:
        asks = [GroupRequest(self._prompts[place], f"{name}-{number}") for number, place in enumerate(places)]
        found = self._groups.draw(asks, self._rollout.group, step, "train", generator)
        return self._hints.help(found, name, step, generator) if self._hints else found


def toss_rewards(rewards: Sequence[float | None], seed: str) -> list[float | None]:
    """A coin's 0 or 1 in place of each reward that is there: what is learnt from them is owed to no reward."""
    coin = random.Random(seed)
    return [None if reward is None else float(coin.random() < 0.5) for reward in rewards]


def draw_rows(groups: Sequence[Group], seed: str) -> list[int] | None:
    """The rows of an update, drawn again within each group that has probabilities for it; None where none has.

    As many of each group as there are, with replacement (PF-PPO, arXiv 2409.06957); a group in which all of them are 0
    stays as it is.
    """
    if not any(group.draw and any(group.draw) for group in groups):
        return None
    draw = random.Random(seed)
    found: list[int] = []
    for group in groups:
        rows = range(len(found), len(found) + len(group.responses))
        found += draw.choices(rows, group.draw, k=len(rows)) if group.draw and any(group.draw) else rows
    return found
