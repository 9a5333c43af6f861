"""Jobs over HTTP: what is taken, what is refused without a trace, what is answered while and after they run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx2
import pytest

from app import tables
from app.path.ledger import LedgerUnavailable
from tests.app.jobs.conftest import Served
from tests.app.outage import outage
from tests.app.records import count
from trueward.errors import Overloaded, RunPinned, Unavailable

HEAD = {"verifier": "exact", "run": "r1"}
NDJSON = {"content-type": "application/x-ndjson"}
ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For what is decided before a database is asked, or beside it."""


def samples(number: int, start: int = 0) -> list[dict[str, Any]]:
    return [
        {"id": f"s{index}", "response": str(index), "reference": str(index - index % 3 % 2)}
        for index in range(start, start + number)
    ]


def lines(head: object, rest: Sequence[object]) -> bytes:
    return "".join(json.dumps(line) + "\n" for line in (head, *rest)).encode()


async def ended(served: Served, job: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            view: dict[str, Any] = (await served.http.get(f"/v1/jobs/{job}")).json()
            if view["state"] not in ("queued", "running"):
                return view
            await asyncio.sleep(0.02)


async def results(served: Served, job: str) -> list[dict[str, Any]]:
    answer = await served.http.get(f"/v1/jobs/{job}/results")
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


async def nothing_remains(served: Served) -> bool:
    left = [await count(served.db, table) for table in (tables.Job, tables.JobItem, tables.Idempotency)]
    return left == [0, 0, 0]


async def test_a_json_job_yields_its_verdicts_in_order(served: Served) -> None:
    answer = await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(600)})
    assert answer.status_code == 202
    job = answer.json()
    assert job["counts"]["total"] == 600
    assert job["state"] in ("queued", "running")
    view = await ended(served, job["id"])
    assert view["state"] == "completed"
    assert view["counts"] == {"total": 600, "done": 600, "correct": 400, "incorrect": 200}
    found = await results(served, job["id"])
    assert [result["id"] for result in found] == [f"s{index}" for index in range(600)]
    assert [result["score"] for result in found] == [float(index % 3 != 1) for index in range(600)]


async def test_ndjson_yields_the_same_as_json(served: Served) -> None:
    one = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(300)})).json()["id"]
    body = lines(HEAD, samples(300))
    two = (await served.http.post("/v1/jobs", content=body, headers=NDJSON)).json()["id"]
    await ended(served, one)
    await ended(served, two)
    different = {"record": None}
    assert [result | different for result in await results(served, one)] == [
        result | different for result in await results(served, two)
    ]


async def test_a_recipe_yields_rewards(served: Served) -> None:
    body = {"recipe": "plain", "samples": samples(5)}
    job = (await served.http.post("/v1/jobs", json=body)).json()
    assert job["kind"] == "rewards"
    assert (await ended(served, job["id"]))["counts"]["correct"] == 3
    found = await results(served, job["id"])
    assert [result["reward"] for result in found] == [1.0, 0.0, 1.0, 1.0, 0.0]
    record = (await served.http.get(f"/v1/verdicts/{found[0]['record']}")).json()
    assert record["kind"] == "reward"
    assert record["verdicts"][0]["verdict"]["outcome"] == "correct"


async def test_samples_without_an_id_are_named_by_their_position(served: Served) -> None:
    body = lines(HEAD, [{"response": "a", "reference": "a"}] * 3)
    job = (await served.http.post("/v1/jobs", content=body, headers=NDJSON)).json()["id"]
    await ended(served, job)
    assert [result["id"] for result in await results(served, job)] == ["0", "1", "2"]


@pytest.mark.parametrize("body", [{**HEAD, "samples": []}, lines(HEAD, [])])
async def test_an_empty_job_is_completed_at_once(served: Served, body: object) -> None:
    sent = {"content": body, "headers": NDJSON} if isinstance(body, bytes) else {"json": body}
    job = (await served.http.post("/v1/jobs", **sent)).json()
    assert (job["state"], job["counts"]) == ("completed", {"total": 0, "done": 0})
    assert await results(served, job["id"]) == []


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"response": ', "json_invalid"),
        (b'{"id": 7, "response": "x"}', "string_type"),
        (b"[]", "model_type"),
        (b'{"response": "x", "reference": NaN}', "json_invalid"),
        (b'{"response": "x", "reference": 1e999}', "finite_number"),
        (b'\xff\xfe{"response": "x"}', "json_invalid"),
        (b'{"tokens": -1}', "greater_than_equal"),
        (b'{"metadata": ' + b"[" * 5000 + b"]" * 5000 + b"}", "json_invalid"),
    ],
)
async def test_a_bad_line_is_named_and_nothing_remains(served: Served, line: bytes, code: str) -> None:
    body = lines(HEAD, samples(700)) + b"\n" + line + b"\n" + lines(samples(1, 5000)[0], [])
    answer = await served.http.post("/v1/jobs", content=body, headers=NDJSON)
    assert answer.status_code == 422
    problem = answer.json()
    assert "line 703" in problem["detail"]
    assert problem["errors"][0]["code"] == code
    assert problem["errors"][0]["field"].startswith("line 703")
    assert await nothing_remains(served)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "invalid_request"),
        (b"[]\n", 422, "invalid_request"),
        (b"{}\n", 422, "invalid_request"),
        (lines({**HEAD, "recipe": "math"}, []), 422, "invalid_request"),
        (lines({**HEAD, "samples": []}, []), 422, "invalid_request"),
        (lines({**HEAD, "unknown": 1}, []), 422, "invalid_request"),
        (lines({"verifier": "nobody"}, samples(3)), 422, "unknown_verifier"),
        (lines(HEAD, [{"response": "x" * 200_000}]), 413, "too_large"),
        (lines(HEAD, samples(2001)), 413, "too_large"),
        (lines(HEAD, [*samples(3), *samples(1)]), 422, "duplicate_ids"),
        (lines(HEAD, [*samples(900), *samples(1, 899)]), 422, "duplicate_ids"),
        (lines(HEAD, [{"response": "x"}, {"id": "0", "response": "x"}]), 422, "duplicate_ids"),
    ],
)
async def test_a_bad_ndjson_body_is_refused_without_a_trace(
    served: Served, body: bytes, status: int, code: str
) -> None:
    answer = await served.http.post("/v1/jobs", content=body, headers=NDJSON)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await nothing_remains(served)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 422, "invalid_request"),
        (b'{"verifier": "exact"}', 422, "invalid_request"),
        (b'{"verifier": "exact", "samples": {}}', 422, "invalid_request"),
        (b'{"verifier": "exact", "samples": [{"id": 1}]}', 422, "invalid_request"),
        (b'{"verifier": "exact", "samples": [], "step": "3"}', 422, "invalid_request"),
        (b'{"verifier": "exact", "samples": [{"id": "a"}, {"id": "a"}]}', 422, "duplicate_ids"),
        (b'{"verifier": "exact", "samples": ["' + b"x" * 100_000 + b'"]}', 413, "too_large"),
    ],
)
@ON_SQLITE
async def test_a_bad_json_body_is_refused_without_a_trace(served: Served, body: bytes, status: int, code: str) -> None:
    answer = await served.http.post("/v1/jobs", content=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await nothing_remains(served)


async def test_a_repeated_id_is_named_with_its_line(served: Served) -> None:
    body = lines(HEAD, [*samples(900), *samples(1, 7)])
    problem = (await served.http.post("/v1/jobs", content=body, headers=NDJSON)).json()
    assert problem["errors"][0]["field"] == "line 902.id"
    assert "'s7'" in problem["detail"]


async def test_an_upload_that_is_cut_leaves_nothing(served: Served) -> None:
    async def cut() -> AsyncIterator[bytes]:
        yield lines(HEAD, samples(1200))
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await served.jobs.accept(cut(), lines=True, owner=None, idempotency=None)
    assert await nothing_remains(served)


async def test_text_that_cannot_be_stored_is_judged_as_it_is_stored(served: Served) -> None:
    body = b'{"verifier": "exact"}\n{"id": "a\\u0000", "response": "x\\ud800", "reference": "x\\ufffd"}\n'
    job = (await served.http.post("/v1/jobs", content=body, headers=NDJSON)).json()["id"]
    assert (await ended(served, job))["counts"]["correct"] == 1
    assert [result["id"] for result in await results(served, job)] == ["a\ufffd"]


async def test_sent_again_under_its_key_a_job_is_answered_and_not_repeated(served: Served) -> None:
    body = lines(HEAD, samples(20))
    headers = {**NDJSON, "idempotency-key": "k1"}
    first = (await served.http.post("/v1/jobs", content=body, headers=headers)).json()["id"]
    both = await asyncio.gather(*(served.http.post("/v1/jobs", content=body, headers=headers) for _ in range(2)))
    assert [answer.json()["id"] for answer in both] == [first, first]
    other = await served.http.post("/v1/jobs", content=lines(HEAD, samples(3)), headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")
    await ended(served, first)
    assert await count(served.db, tables.Job) == 1
    assert await count(served.db, tables.Verdict) == 20


async def test_a_group_is_scored_in_one_piece(served: Served) -> None:
    rows = [{**sample, "group": f"g{index // 7}"} for index, sample in enumerate(samples(900))]
    job = (await served.http.post("/v1/jobs", json={"recipe": "plain", "samples": rows})).json()["id"]
    await ended(served, job)
    calls = [[int(str(name)[1:]) // 7 for name in call] for call in served.scorer.calls]
    assert len(calls) > 2
    assert sum(len(set(call)) for call in calls) == len({group for call in calls for group in call})


async def test_a_job_waits_for_the_ledger_and_then_completes(served: Served) -> None:
    body = {**HEAD, "deadline_s": 0.2, "samples": samples(700)}
    job = (await served.http.post("/v1/jobs", json=body)).json()["id"]
    async with outage(served.db):
        await asyncio.sleep(1.0)
    assert (await ended(served, job))["counts"]["done"] == 700
    assert await count(served.db, tables.Verdict) == 700


async def test_a_long_outage_fails_no_job(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.jobs.runner._BACKOFF_S", (0.01,))
    works = served.scorer.score
    outages: list[Exception] = [LedgerUnavailable("down", [0]), Overloaded("full"), Unavailable("down")]

    async def recover(request: Any, rows: Any, records: Any, **whose: Any) -> Any:
        if len(tried) < 12:
            tried.append(outages[len(tried) % 3])
            raise tried[-1]
        return await works(request, rows, records, **whose)

    tried: list[Exception] = []
    monkeypatch.setattr(served.scorer, "score", recover)
    job = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(3)})).json()["id"]
    assert (await ended(served, job))["state"] == "completed"
    assert len(tried) == 12


async def test_a_job_whose_request_is_refused_by_now_fails_and_says_why(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*args: object, **named: object) -> None:
        raise RunPinned("run r1 is pinned to another recipe")

    monkeypatch.setattr(served.scorer, "score", refuse)
    job = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(3)})).json()["id"]
    view = await ended(served, job)
    assert (view["state"], view["error"]) == ("failed", "run r1 is pinned to another recipe")


async def test_a_job_that_a_bug_stops_fails_after_some_attempts_and_the_next_goes_on(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.jobs.runner._BACKOFF_S", (0.01,))
    works = served.scorer.score

    async def crash(request: Any, rows: Any, records: Any, **whose: Any) -> Any:
        if any(row.response == "boom" for row in rows):
            raise ZeroDivisionError
        return await works(request, rows, records, **whose)

    monkeypatch.setattr(served.scorer, "score", crash)
    bad = (await served.http.post("/v1/jobs", json={**HEAD, "samples": [{"response": "boom"}]})).json()["id"]
    good = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(3)})).json()["id"]
    assert (await ended(served, bad))["state"] == "failed"
    assert (await ended(served, good))["state"] == "completed"


async def test_a_cancelled_job_keeps_what_it_has_and_does_no_more(served: Served) -> None:
    served.scorer._pause_s = 0.05
    job = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(1500)})).json()["id"]
    while len(served.scorer.calls) < 2:
        await asyncio.sleep(0.01)
    view = (await served.http.delete(f"/v1/jobs/{job}")).json()
    assert view["state"] == "cancelled"
    await asyncio.sleep(0.3)
    calls = len(served.scorer.calls)
    assert calls < 5
    found = await results(served, job)
    assert [result["id"] for result in found] == [f"s{index}" for index in range(len(found))]
    assert (await served.http.delete(f"/v1/jobs/{job}")).json()["state"] == "cancelled"


async def test_events_tell_the_progress_and_end(served: Served) -> None:
    served.scorer._pause_s = 0.2
    job = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(700)})).json()["id"]
    answer = await served.http.get(f"/v1/jobs/{job}/events", headers={"last-event-id": "what"}, timeout=60)
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = [dict(line.split(": ", 1) for line in block.split("\n")) for block in answer.text.strip().split("\n\n")]
    assert [event["event"] for event in events][-1] == "end"
    assert {event["event"] for event in events[:-1]} == {"progress"}
    done = [json.loads(event["data"])["counts"]["done"] for event in events]
    assert done == sorted(done)
    assert done[-1] == 700
    again = await served.http.get(f"/v1/jobs/{job}/events", headers={"last-event-id": "700"})
    assert again.text.startswith("id: 700\nevent: end\n")


@ON_SQLITE
async def test_a_silent_job_sends_heartbeats(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.jobs.service._HEARTBEAT_S", 0.1)
    monkeypatch.setattr("app.jobs.service._LOOK_S", 0.05)
    served.scorer._pause_s = 1.0
    job = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(3)})).json()["id"]
    text = (await served.http.get(f"/v1/jobs/{job}/events", timeout=60)).text
    assert ": still working\n\n" in text


async def test_results_of_a_running_job_are_those_that_are_done(served: Served) -> None:
    served.scorer._pause_s = 0.1
    job = (await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(1500)})).json()["id"]
    while len(served.scorer.calls) < 3:
        await asyncio.sleep(0.01)
    found = await results(served, job)
    assert 0 < len(found) < 1500
    assert [result["id"] for result in found] == [f"s{index}" for index in range(len(found))]


async def test_jobs_are_listed_newest_first_and_paged(served: Served) -> None:
    made = [(await served.http.post("/v1/jobs", json={**HEAD, "samples": []})).json()["id"] for _ in range(5)]
    first = (await served.http.get("/v1/jobs", params={"limit": 3})).json()
    assert [job["id"] for job in first["jobs"]] == made[:1:-1]
    rest = (await served.http.get("/v1/jobs", params={"after": first["next"]})).json()
    assert ([job["id"] for job in rest["jobs"]], rest["next"]) == (made[1::-1], None)


@pytest.mark.parametrize("path", ["", "/events", "/results"])
@pytest.mark.parametrize("name", ["nothing", "a%00b", "%ED%A0%80"])
async def test_an_unknown_job_is_not_found(served: Served, path: str, name: str) -> None:
    answer: httpx2.Response = await served.http.get(f"/v1/jobs/{name}{path}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
