"""What was answered lately, for trainers that call a function again of which they did not await the end.

The call after a time-out then costs nothing, and the response has one record. Two responses that say the same share an
answer too while it is kept.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Hashable

from trueward.wire.reward import Reward

KEPT_S = 120.0
_MOST = 10_000


class Answers:
    """Rewards by what was asked; safe to share between threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[float, Reward]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, asked: Hashable) -> Reward | None:
        with self._lock:
            at, reward = self._kept.get(asked, (0.0, None))
        return reward if time.monotonic() - at < KEPT_S else None

    def put(self, asked: Hashable, reward: Reward) -> None:
        with self._lock:
            self._kept.pop(asked, None)
            self._kept[asked] = (time.monotonic(), reward)
            if len(self._kept) > _MOST:
                self._kept.popitem(last=False)
