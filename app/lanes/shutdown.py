"""What becomes of samples that are not judged when the service has no more time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from trueward.wire.verdict import Verdict


def report_shutdown() -> Verdict:
    """The verdict on such a sample."""
    return Verdict.error("shutdown", "the service stopped before this sample was judged")


def end_now(limits: Iterable[asyncio.Timeout]) -> None:
    """Draws deadlines that are being waited for in to this moment."""
    for limit in list(limits):
        if not limit.expired():
            limit.reschedule(0.0)
