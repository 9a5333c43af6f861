"""When a delivery that failed is tried again: how often, and after how long."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime, timedelta

from app.kit.clock import now
from app.webhooks.sender import GONE, REFUSED, SENT

WAITS_S = (5.0, 30.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0)
"""Between the tries of a delivery, of which there is one more."""
_SPREAD = 0.1
"""A wait is up to so much longer: receivers that come back are not met by all at the same moment."""


def next_try_at(outcome: str, attempts: int, waits_s: Sequence[float] = WAITS_S) -> datetime | None:
    """When the next try is after so many, of which the latest went like that; None where it was the last."""
    if outcome in (SENT, GONE) or outcome.startswith(REFUSED) or attempts > len(waits_s):
        return None
    return now() + timedelta(seconds=waits_s[attempts - 1] * random.uniform(1.0, 1.0 + _SPREAD))
