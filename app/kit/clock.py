"""The time of day, in UTC. For durations and deadlines use the event loop's clock."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    return datetime.now(UTC)
