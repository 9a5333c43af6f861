"""What stands in for a missing reward where a trainer takes numbers only: the mean of its group, and advantage 0.

Where members of a group come one by one the service finds it, for it alone sees all of them: it waits for the siblings
and gives every missing member of a group the same ``stand_in`` (:class:`trueward.wire.scoring.Gather`). A plug-in
that has whole groups in one call finds it here, by the same rule. Values that are only logged (whether an answer is
right, the score of a term) get means too, those of this process.
"""

from __future__ import annotations

import math
import threading
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

OUTCOMES = {outcome: float(place) for place, outcome in enumerate(Outcome)}
"""Outcomes as numbers, for trainers that log nothing else: 0 correct, 1 incorrect, 2 partial, 3 scored, 4 invalid,
5 abstained, 6 timeout, 7 error."""


@dataclass(slots=True)
class Mean:
    """A running mean; 0 of nothing."""

    total: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.total += value
        self.count += 1

    @property
    def value(self) -> float:
        """With twelve significant bits: a trainer adds up to 4096 of them in single precision without rounding.

        Else a group in which all stand in has a spread that is nothing but rounding, and what is divided by it is an
        advantage.
        """
        mantissa, exponent = math.frexp(self.total / self.count if self.count else 0.0)
        return math.ldexp(round(mantissa * 2**12) / 2**12, exponent)


class Means:
    """Means of a process by series (such as ``reward``); safe to share between threads."""

    def __init__(self) -> None:
        self._means: defaultdict[str, Mean] = defaultdict(Mean)
        self._lock = threading.Lock()

    def numbers(self, series: str, values: Sequence[float | None], groups: Sequence[Hashable]) -> list[float]:
        """The values of one call, with what stands in for those that are missing; ``groups`` has the group of each.

        That is the mean of the group in this call, else of everything so far, else 0.
        """
        with self._lock:
            means: defaultdict[Hashable, Mean] = defaultdict(Mean)
            for value, group in zip(values, groups, strict=True):
                if value is not None:
                    means[group].add(value)
                    self._means[series].add(value)
            so_far = self._means[series].value
            return [
                (means[group].value if means[group].count else so_far) if value is None else value
                for value, group in zip(values, groups, strict=True)
            ]

    def rewards(self, rewards: Sequence[Reward], groups: Sequence[Hashable]) -> list[float]:
        """The numbers of rewards: what the service found to stand in comes before the mean of this call."""
        numbers = self.numbers("reward", [reward.reward for reward in rewards], groups)
        return [
            reward.stand_in if reward.reward is None and reward.stand_in is not None else number
            for number, reward in zip(numbers, rewards, strict=True)
        ]


def flat(reward: Reward) -> dict[str, float | None]:
    """What can be logged of a reward as numbers, under keys that are the same for every sample of a recipe."""
    missing = reward.reward is None
    return {
        "acc": None if missing else float(reward.outcome is Outcome.CORRECT),
        "trueward_outcome": OUTCOMES[reward.outcome],
        "trueward_missing": float(missing),
        **{f"trueward_component_{name}": value for name, value in reward.components.items()},
    }
