"""Jobs: handed over once, followed, read to the end, cancelled."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.client.conftest import Ask
from tests.client.fake_service import FakeService, Fault
from trueward import AsyncClient, Client, Reward, Verdict
from trueward.client.job import ResultLines
from trueward.errors import DeadlineExceeded, InvalidRequest, NotFound, UnexpectedAnswer

SAMPLES = [{"response": str(index), "reference": "3", "prompt": f"\u2028{index}"} for index in range(40)]


def test_a_job_from_submission_to_results(client: Client, service: FakeService) -> None:
    seen: list[tuple[int, int]] = []
    job = client.submit(SAMPLES, verifier="exact", run="r1")
    state = job.wait(progress=lambda *counts: seen.append(counts))
    assert (state.state, state.done, state.total) == ("completed", 40, 40)
    assert seen[-1] == (40, 40)
    results = list(job.results())
    assert [result.id for result in results] == [str(index) for index in range(40)]
    assert all(isinstance(result, Verdict) for result in results)
    assert service.received[0].body == {"verifier": "exact", "params": {}, "run": "r1"}
    assert service.received[0].headers["content-type"] == "application/x-ndjson"


def test_the_async_client_does_the_same(url: str) -> None:
    async def follow() -> list[Any]:
        async with AsyncClient(url) as client:
            job = await client.submit(SAMPLES, recipe="math")
            assert (await job.wait()).ended
            return [result async for result in job.results()]

    results = asyncio.run(follow())
    assert [result.reward for result in results] == [float(index == 3) for index in range(40)]
    assert all(isinstance(result, Reward) for result in results)


@pytest.mark.usefixtures("at_once")
def test_a_submission_that_is_tried_again_is_one_job(client: Client, service: FakeService) -> None:
    service.faults = [Fault(cut=True), Fault(503)]
    client.submit(SAMPLES, verifier="exact")
    assert list(service.jobs) == ["job1"]
    assert set(service.scored.values()) == {1}


@pytest.mark.usefixtures("at_once")
def test_results_that_are_cut_are_taken_up_where_they_ended(client: Client, service: FakeService) -> None:
    job = client.submit(SAMPLES, verifier="exact")
    service.faults = [Fault(cut=True), Fault(503), Fault(cut=True)]
    assert [result.id for result in job.results()] == [str(index) for index in range(40)]


@pytest.mark.usefixtures("at_once")
def test_async_results_that_are_cut_are_taken_up_too(url: str, service: FakeService) -> None:
    async def follow() -> list[str | None]:
        async with AsyncClient(url) as client:
            job = await client.submit(SAMPLES, verifier="exact")
            service.faults = [Fault(cut=True), Fault(503)]
            return [result.id async for result in job.results()]

    assert asyncio.run(follow()) == [str(index) for index in range(40)]


def test_results_may_be_left_unread(client: Client) -> None:
    results = client.submit(SAMPLES, verifier="exact").results()
    assert next(results).id == "0"
    results.close()  # type: ignore[attr-defined]  # a generator
    assert client.health().ready


def test_waiting_has_an_end(client: Client, service: FakeService) -> None:
    job = client.submit(SAMPLES, verifier="exact")
    service.jobs[job.id]["looks"] = -10_000
    with pytest.raises(DeadlineExceeded, match="goes on"):
        job.wait(timeout_s=0.2)


def test_a_cancelled_job_says_so(client: Client) -> None:
    assert client.submit(SAMPLES, verifier="exact").cancel().state == "cancelled"


def test_a_large_job_travels_in_blocks(client: Client, service: FakeService) -> None:
    job = client.submit(({"response": "x" * 100_000} for _ in range(30)), verifier="exact")
    assert service.received[0].headers["transfer-encoding"] == "chunked"
    assert len(service.jobs[job.id]["lines"]) == 30


def test_a_large_job_travels_in_blocks_from_the_async_client(url: str, service: FakeService) -> None:
    async def submit() -> None:
        async with AsyncClient(url) as client:
            await client.submit(({"response": "x" * 100_000} for _ in range(30)), verifier="exact")

    asyncio.run(submit())
    assert len(service.jobs["job1"]["lines"]) == 30


def test_a_job_names_a_verifier_or_a_recipe(ask: Ask, service: FakeService) -> None:
    with pytest.raises(InvalidRequest, match="either"):
        ask("submit", SAMPLES)
    with pytest.raises(InvalidRequest, match="either"):
        ask("submit", SAMPLES, verifier="exact", recipe="math")
    assert service.received == []


def test_an_unknown_job_is_not_found(client: Client) -> None:
    with pytest.raises(NotFound):
        client.job("no such job?").status()


def test_lines_are_cut_at_line_ends_only() -> None:
    line = json.dumps({"id": "\u2028", "outcome": "correct", "score": 1.0, "reason_code": "x"}, ensure_ascii=False)
    whole = f"{line}\n\n{line}\n".encode()
    lines = ResultLines()
    found = [result for byte in whole for result in lines.feed(bytes([byte]))]
    assert [result.id for result in found] == ["\u2028", "\u2028"]
    lines.end()
    list(lines.feed(b'{"half'))
    with pytest.raises(UnexpectedAnswer):
        lines.end()
    with pytest.raises(UnexpectedAnswer, match="line 3"):
        list(lines.feed(b"}\n"))
