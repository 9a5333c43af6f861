"""Jobs take turns: a small one does not wait for the end of a large one, nor a client for either."""

from __future__ import annotations

import asyncio

import pytest

from app.jobs import runner
from app.jobs.service import JobsService
from tests.app.jobs.conftest import Served


async def submitted(served: Served, name: str, count: int) -> str:
    samples = [{"id": f"{name}{number}", "response": "1", "reference": "1"} for number in range(count)]
    answer = await served.http.post("/v1/jobs", json={"verifier": "exact", "samples": samples})
    return str(answer.json()["id"])


async def ended(jobs: JobsService, job: str) -> str:
    async with asyncio.timeout(60):
        while not (await jobs.show(job)).ended:
            await asyncio.sleep(0.01)
    return (await jobs.show(job)).state


async def test_a_small_job_has_its_turn_before_a_large_one_ends(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "_TURN_S", 0.0)
    monkeypatch.setattr(served.jobs._runner, "_size", 10)
    served.scorer._pause_s = 0.05
    large = await submitted(served, "large", 30)
    small = await submitted(served, "small", 1)
    assert await ended(served.jobs, small) == "completed"
    assert not (await served.jobs.show(large)).ended
    assert await ended(served.jobs, large) == "completed"
    assert sorted(name for call in served.scorer.calls for name in call if name) == sorted(
        [f"large{number}" for number in range(30)] + ["small0"]
    )


async def test_a_job_is_begun_when_it_is_submitted(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runner looks for jobs of other replicas now and then, and for one of its own at once."""
    monkeypatch.setattr(runner, "_POLL_S", 600.0)
    for name in ("first", "second"):  # before the first it may have waited for less already
        assert await ended(served.jobs, await submitted(served, name, 1)) == "completed"


async def test_a_stop_leaves_jobs_where_they_are_and_ends_their_streams(served: Served) -> None:
    served.scorer._pause_s = 30.0
    job = await submitted(served, "large", 30)
    events = served.jobs.events(await served.jobs.show(job))
    assert (await anext(events)).startswith("id: 0")
    await served.jobs.stop()
    assert [event async for event in events if "event: end" in event] == []
    assert not (await served.jobs.show(job)).ended
