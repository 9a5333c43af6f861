"""Mean rewards so far, by prompt and by run: what a missing score is rendered as where a protocol can
carry only a number. In memory, bounded; a restart begins anew.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from app.scoring.cache import Cache

_KEPT = 100_000


@dataclass(slots=True)
class _Mean:
    total: float = 0.0
    count: int = 0


class RunningMeans:
    def __init__(self) -> None:
        self._means: Cache[Hashable, _Mean] = Cache(_KEPT)

    def add(self, scope: Hashable, prompt: str, reward: float) -> None:
        """Counts a reward for its prompt and for its scope (key, recipe and run)."""
        for key in ((scope, prompt), scope):
            mean = self._means.get(key) or _Mean()
            mean.total += reward
            mean.count += 1
            self._means.put(key, mean)

    def instead(self, scope: Hashable, prompt: str) -> float:
        """The mean of the prompt so far, else of the scope, else 0."""
        for key in ((scope, prompt), scope):
            mean = self._means.get(key)
            if mean is not None:
                return mean.total / mean.count
        return 0.0
