"""The event loop's lag is what a clock in it misses."""

from __future__ import annotations

import asyncio
import time

from prometheus_client import CollectorRegistry, generate_latest

from app.telemetry.lag import TICK_S, Lag


async def test_a_loop_that_is_held_is_late_and_one_that_is_not_is_not() -> None:
    async with Lag() as lag:
        await asyncio.sleep(5 * TICK_S)
        time.sleep(0.5)  # noqa: ASYNC251 - this is what it is to find
        await asyncio.sleep(2 * TICK_S)
    counts = dict(lag.late_s.buckets())
    assert counts["+Inf"] > counts["0.3"]
    registry = CollectorRegistry()
    registry.register(lag)
    assert b'trueward_event_loop_lag_seconds_bucket{le="0.3"}' in generate_latest(registry)
