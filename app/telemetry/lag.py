"""How late the event loop is: a clock in it that is to ring every :data:`TICK_S`, and by how much it does not.

What a round of the loop takes, everybody waits for: requests, answers of workers, health.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

from prometheus_client.registry import Collector

from app.kit.background import Background
from app.kit.durations import Durations
from app.telemetry.collectors import Families
from app.telemetry.counters import single

TICK_S = 0.1


class Lag(Background, Collector):
    task: ClassVar[str] = "lag"

    def __init__(self) -> None:
        self.late_s = Durations()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + TICK_S
            await asyncio.sleep(TICK_S)
            self.late_s.add(loop.time() - due)

    def collect(self) -> Families:
        yield single("trueward_event_loop_lag_seconds", "By how much the event loop is late", self.late_s)
