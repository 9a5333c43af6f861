"""What becomes of samples when the service has no more time."""

from __future__ import annotations

import asyncio

import pytest

from app.lanes.shutdown import end_now, report_shutdown
from tests.app.path.lines import turns
from trueward.wire.verdict import Outcome


def test_a_sample_that_was_not_judged_has_no_score_through_no_doing_of_its_own() -> None:
    verdict = report_shutdown()
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "shutdown")


async def test_whatever_is_waited_for_ends_now() -> None:
    limits: set[asyncio.Timeout] = set()
    never = asyncio.get_running_loop().create_future()

    async def wait(within_s: float | None) -> None:
        async with asyncio.timeout(within_s) as limit:
            limits.add(limit)
            try:
                await never
            finally:
                # as the lanes do: what ends is no longer under way
                limits.discard(limit)

    waiting = [asyncio.create_task(wait(within_s)) for within_s in (3600.0, None, 7200.0)]
    await asyncio.sleep(0)
    assert len(limits) == 3
    end_now(limits)
    await turns()
    assert all(one.done() for one in waiting)
    assert [type(one.exception()) for one in waiting] == [TimeoutError] * 3


async def test_what_has_ended_already_is_left_alone() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0) as limit:
            await asyncio.get_running_loop().create_future()
    end_now([limit])
    assert limit.expired()
