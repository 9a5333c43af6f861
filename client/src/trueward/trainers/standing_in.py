"""What a missing reward becomes where a trainer can take numbers only: the mean so far, as in the HTTP protocols.

The mean of that group (its prompt, as a rule) so far, else of everything so far, else 0. What a call brings counts
before it stands in, so that a whole group that is scored in one call gets its own mean: an advantage of 0 after
centring. The means are in memory, of one process; a copy begins anew. Each plug-in flags such a number as far as its
trainer lets it.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence

from trueward.types import Outcome, Reward

_KEPT = 100_000

OUTCOMES = {outcome: float(place) for place, outcome in enumerate(Outcome)}
"""Outcomes as numbers, for trainers that log nothing else: 0 correct, 1 incorrect, 2 partial, 3 scored, 4 invalid,
5 abstained, 6 timeout, 7 error."""


class Means:
    """Running means by series (such as ``reward``) and group; safe to share between threads."""

    def __init__(self) -> None:
        self._means: OrderedDict[Hashable, tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[Means], tuple[()]]:
        return Means, ()

    def numbers(self, series: str, values: Sequence[float | None], groups: Sequence[Hashable]) -> list[float]:
        """The values, with what stands in for those that are missing; ``groups`` has the group of each."""
        with self._lock:
            for value, group in zip(values, groups, strict=True):
                if value is not None:
                    self._add((series, group), value)
                    self._add((series,), value)
            return [
                self._instead(series, group) if value is None else value
                for value, group in zip(values, groups, strict=True)
            ]

    def rewards(self, rewards: Sequence[Reward], groups: Sequence[Hashable]) -> list[float]:
        """The numbers of rewards."""
        return self.numbers("reward", [reward.reward for reward in rewards], groups)

    def _add(self, key: Hashable, value: float) -> None:
        total, count = self._means.pop(key, (0.0, 0))
        self._means[key] = (total + value, count + 1)
        if len(self._means) > _KEPT:
            self._means.popitem(last=False)

    def _instead(self, series: str, group: Hashable) -> float:
        total, count = self._means.get((series, group)) or self._means.get((series,)) or (0.0, 1)
        return total / count


def flat(reward: Reward) -> dict[str, float | None]:
    """What can be logged of a reward as numbers, under keys that are the same for every sample of a recipe."""
    missing = reward.reward is None
    return {
        "acc": None if missing else float(reward.outcome is Outcome.CORRECT),
        "trueward_outcome": OUTCOMES[reward.outcome],
        "trueward_missing": float(missing),
        **{f"trueward_component_{name}": value for name, value in reward.components.items()},
    }
