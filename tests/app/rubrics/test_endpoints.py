"""GET /v1/rubrics/correlation: criteria of one rubric, from the ledger, on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from app.kit import problems
from app.kit.db import Database
from app.path.ledger import Entry, Ledger
from app.path.rows import RequestContext
from app.rubrics import endpoints, repository
from app.settings import Settings
from tests.app.records import entry
from trueward.wire.verdict import Producer, Verdict

PATH = "/v1/rubrics/correlation"


def judged(name: str, rubric: str, scores: Mapping[str, float]) -> Entry:
    made = entry(name)
    criteria = {one: {"score": score, "weight": 1.0} for one, score in scores.items()}
    [old] = made.verdicts
    said = Verdict.scored(0.5, "judged", evidence={"rubric": rubric, "criteria": criteria})
    producer = Producer(name="rubric", version="1", params="sha256:0")
    new = said.model_copy(update={"id": old.id, "record": old.record, "producer": producer})
    return Entry(made.sample, made.fingerprint, made.content, [new], None)


@pytest.fixture
async def http(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx2.AsyncClient]:
    """Twelve verdicts by rubric ``one`` in two runs, three by ``two``; a page is five."""
    monkeypatch.setattr(repository, "_PAGE", 5)
    one = [
        judged(f"s{n}", "one", {"a": float(n % 2), "b": float(n % 2), "c": float(n < 4), "d": 1.0}) for n in range(12)
    ]
    two = [judged(f"t{n}", "two", {"a": float(n % 2), "b": 1.0 - n % 2}) for n in range(3)]
    deadline = asyncio.get_running_loop().time() + 60
    async with Ledger(db, 1000) as ledger:
        await ledger.write(one[:8], RequestContext(run="early"), deadline)
        await ledger.write([*one[8:], *two], RequestContext(run="late"), deadline)
        await ledger.write([entry("other")], RequestContext(run="late"), deadline)
    app = FastAPI()
    app.include_router(endpoints.router)
    problems.install(app)
    state = {"db": db, "settings": Settings(data_dir=tmp_path)}

    async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": dict(state)}, receive, send)

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(with_state), base_url="http://test") as client:
        yield client


async def test_the_rubric_with_most_verdicts_is_shown(http: httpx2.AsyncClient) -> None:
    found = (await http.get(PATH)).json()
    assert found["rubrics"] == [{"rubric": "one", "verdicts": 12}, {"rubric": "two", "verdicts": 3}]
    assert (found["rubric"], found["verdicts"], found["left_out"], found["next"]) == ("one", 12, 0, None)
    assert found["pairs"][0] == {"first": "a", "second": "b", "n": 12, "correlation": 1.0, "flag": "alike"}
    assert {one["id"]: (one["mean"], one["flag"]) for one in found["criteria"]} == {
        "a": (0.5, None), "b": (0.5, None), "c": (pytest.approx(1 / 3), None), "d": (1.0, "always_met"),
    }  # fmt: skip


async def test_a_run_and_a_rubric_may_be_named(http: httpx2.AsyncClient) -> None:
    assert (await http.get(PATH, params={"run": "late"})).json()["verdicts"] == 4
    found = (await http.get(PATH, params={"rubric": "two", "run": "late"})).json()
    assert [(pair["n"], pair["correlation"], pair["flag"]) for pair in found["pairs"]] == [(3, -1.0, None)]
    missing = await http.get(PATH, params={"rubric": "two", "run": "early"})
    assert missing.status_code == 404


async def test_pages_go_on_where_they_ended(http: httpx2.AsyncClient) -> None:
    whole = (await http.get(PATH)).json()["pairs"]
    found, after = [], None
    while True:
        page = (await http.get(PATH, params={"limit": 2, **({"after": after} if after else {})})).json()
        found += page["pairs"]
        if (after := page["next"]) is None:
            break
    assert found == whole
    assert len(whole) == 6
    assert (await http.get(PATH, params={"after": "x~y"})).status_code == 404


async def test_only_the_latest_verdicts_are_read(http: httpx2.AsyncClient) -> None:
    found = (await http.get(PATH, params={"verdicts": 7})).json()
    assert (found["verdicts"], found["left_out"]) == (7, 5)


async def test_a_ledger_without_rubrics_answers_with_none(http: httpx2.AsyncClient) -> None:
    found = (await http.get(PATH, params={"verifier": "exact"})).json()
    assert (found["rubric"], found["rubrics"], found["criteria"], found["pairs"]) == (None, [], [], [])
