"""Responses that could not be judged, told in the trainer's own log: a warning of the logger ``trueward.trainers``.

Trainers show that a reward is missing, and none shows why. Told by cause: the first time, and then whenever there are
ten times as many, so that a whole data set without references is a few lines.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence

from trueward.wire.reward import Reward

log = logging.getLogger("trueward.trainers")


class Missing:
    """Counts of this process. ``run`` is where the records are."""

    def __init__(self, run: str | None) -> None:
        self._run = run or "without a name"
        self._seen: Counter[str] = Counter()
        self._told: dict[str, int] = {}

    def tell(self, rewards: Sequence[Reward]) -> None:
        lost = {reward.reason_code: reward for reward in rewards if reward.outcome.missing}
        self._seen.update(reward.reason_code for reward in rewards if reward.outcome.missing)
        for code, last in lost.items():
            seen = self._seen[code]
            if seen < 10 * self._told.get(code, 0):
                continue
            self._told[code] = seen
            why = f"{code}: {last.reason}; the last is record {last.record}"
            log.warning("trueward: run %s, responses that could not be judged so far: %d, for %s", self._run, seen, why)
