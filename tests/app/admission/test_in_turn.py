"""Every endpoint that takes the one path waits for its turn, and leaves it; one whose client bears it is refused.

None waits beyond its deadline: it is told that its time has passed when it has.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
import pytest_asyncio
from pydantic import JsonValue
from structlog.testing import capture_logs

from app.admission.limits import TURNS_AT_ONCE
from app.admission.loop_queue import Announcement, LoopQueue, LoopTurn
from app.http.refusals import EACH_S
from app.protocols.trainers import roll
from app.protocols.trainers.endpoints import RollRoute
from tests.walk import service
from trueward.errors import Overloaded

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAMPLES: JsonValue = [{"id": "a", "response": "4", "reference": "4"}]
CANDIDATES: JsonValue = [{"response": "4"}, {"response": "5"}]
GRADER: JsonValue = {
    "type": "string_check",
    "name": "same",
    "input": "{{sample.output_text}}",
    "reference": "{{item.answer}}",
    "operation": "eq",
}
REFUSED: dict[str, JsonValue] = {
    "/v1/verify": {"verifier": "exact", "samples": SAMPLES},
    "/v1/rewards": {"recipe": "exact", "samples": SAMPLES},
    "/v1/select": {"method": "majority", "verifier": "exact", "candidates": CANDIDATES},
}
HELD: dict[str, JsonValue] = {
    "/v1/fine_tuning/alpha/graders/run": {"grader": GRADER, "item": {"answer": "4"}, "model_sample": "4"},
    "/t/exact/openrlhf": {"query": ["2+2=4"], "prompts": ["2+2="], "labels": ["4"]},
}


class Noted(LoopQueue):
    """Knows whose turns were taken, and for how long each may wait; ``full`` refuses whoever can be refused."""

    taken: dict[str, float | None]
    full = False

    def announce(self, project: str | None, kind: str, size: int) -> Announcement:
        if self.full:
            raise Overloaded("full", retry_after_s=7.0)
        return super().announce(project, kind, size)

    async def take(self, project: str | None, kind: str, size: int, held_s: float | None = None) -> LoopTurn:
        turn = await super().take(project, kind, size, held_s)
        self.taken[kind] = held_s
        return turn


@pytest.fixture(scope="module")
def line() -> Noted:
    made = Noted()
    made.taken = {}
    return made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http(line: Noted, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx2.AsyncClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.path.path.LoopQueue", lambda weights: line)
        folder: Path = tmp_path_factory.mktemp("data")
        async with service(folder) as http:
            yield http


@pytest.mark.parametrize("path", [*REFUSED, *HELD])
async def test_it_takes_its_turn_and_leaves_it(http: httpx2.AsyncClient, line: Noted, path: str) -> None:
    line.taken.clear()
    answer = await http.post(path, json={**REFUSED, **HELD}[path])
    assert answer.status_code == 200, answer.text
    [(_, held_s)] = line.taken.items()
    if path in REFUSED:
        assert held_s is None  # it had its turn at once, and nobody asked for how long it may wait
    else:
        assert held_s is not None
        assert 0 < held_s <= 600
    assert (line.running, line.waiting) == (0, 0)


@pytest.mark.parametrize("path", [*REFUSED, *HELD])
async def test_who_can_be_refused_is_refused_before_the_body_is_read(
    http: httpx2.AsyncClient, line: Noted, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(line, "full", True)
    answer = await http.post(path, json={**REFUSED, **HELD}[path])
    if path in REFUSED:
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "overloaded", "7")
    else:
        assert answer.status_code == 200, answer.text


async def test_of_a_crowd_that_is_refused_the_log_has_the_first_and_the_number_of_the_others(
    http: httpx2.AsyncClient, line: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    await asyncio.sleep(EACH_S)  # those of other tests are told of
    monkeypatch.setattr(line, "full", True)
    with capture_logs() as logs:
        for _ in range(20):
            assert (await http.post("/v1/verify", json=REFUSED["/v1/verify"])).status_code == 503
        await asyncio.sleep(EACH_S + 0.2)
        told = [*logs]
        monkeypatch.setattr(line, "full", False)
        await http.post("/v1/verify", json=REFUSED["/v1/verify"])
    lines = [one for one in told if one["event"] == "request"]
    sums = [one for one in told if one["event"] == "requests refused"]
    assert (lines[0]["code"], lines[0]["detail"]) == ("overloaded", "full")
    assert len(lines) + sum(one["requests"] for one in sums) == 20
    assert 1 <= len(sums) <= len(lines) < 20
    assert logs == told  # whoever is let in is not spoken of


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rewards"])
async def test_who_waits_in_vain_is_told_so_when_its_time_has_passed(
    http: httpx2.AsyncClient, line: Noted, path: str
) -> None:
    others = [await line.take(None, f"others of {path}", 10**5) for _ in range(TURNS_AT_ONCE)]
    began = time.perf_counter()
    body = REFUSED[path]
    assert isinstance(body, dict)
    try:
        answer = await http.post(path, json={**body, "deadline_s": 0.8})
    finally:
        for turn in others:
            turn.leave()
    assert (answer.status_code, answer.json()["code"]) == (503, "deadline_passed_waiting")
    assert time.perf_counter() - began == pytest.approx(0.6, abs=0.3)


async def test_a_call_of_roll_that_has_no_turn_in_time_is_stored_before_its_client_gives_up(
    http: httpx2.AsyncClient, line: Noted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RollRoute, "held_s", 0.5)
    monkeypatch.setattr(roll, "HELD_S", 0.5)
    others = [await line.take(None, "others of roll", 10**5) for _ in range(TURNS_AT_ONCE)]
    sample = {"prompt": "2+2?", "response": "4", "reward_info": {"ground_truth": "4"}, "data_id": "a"}
    began = time.perf_counter()
    try:
        submitted = await http.post("/t/exact/roll/submit", json=sample)
        asked = time.perf_counter()
        early = await http.post("/t/exact/roll/result", json=submitted.json())
    finally:
        for turn in others:
            turn.leave()
    assert asked - began < 1.5
    assert time.perf_counter() - asked < 1.5
    assert not roll.Ticket.read(submitted.json()["reward_request_id"]).is_record
    assert early.json()["errcode"] in (roll.RUNNING, roll.DONE)
    monkeypatch.setattr(roll, "HELD_S", 20.0)
    told = await http.post("/t/exact/roll/result", json=submitted.json())
    assert (told.json()["errcode"], told.json()["reward_score"]) == (roll.DONE, 1.0)


async def test_a_job_comes_behind_the_requests_that_wait(http: httpx2.AsyncClient, line: Noted) -> None:
    others = [await line.take(None, "others of jobs", 10**6) for _ in range(TURNS_AT_ONCE)]
    try:
        job = (await http.post("/v1/jobs", json=REFUSED["/v1/verify"])).json()["id"]
        await asyncio.sleep(0.3)
        assert (await http.get(f"/v1/jobs/{job}")).json()["state"] == "running"
    finally:
        for turn in others:
            turn.leave()
    async with asyncio.timeout(10):
        while (await http.get(f"/v1/jobs/{job}")).json()["state"] != "completed":
            await asyncio.sleep(0.02)
    assert (line.running, line.waiting) == (0, 0)
