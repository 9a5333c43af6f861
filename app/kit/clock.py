"""The time of day, in UTC. For durations and deadlines use the event loop's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


def now() -> datetime:
    return datetime.now(UTC)


_STARTED, _BEGAN = now(), time.monotonic()


def compute_cutoff(age: timedelta) -> datetime:
    """What was made before this moment is ``age`` old, for what is deleted by its age.

    A clock that is set ahead while the process runs makes nothing older: then time counts from the process's start.
    """
    lived_through = _STARTED + timedelta(seconds=time.monotonic() - _BEGAN)
    return min(now(), lived_through) - age
