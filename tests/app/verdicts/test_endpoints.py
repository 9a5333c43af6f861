"""The ledger's pages: filters, order, paging, and one record with all that explains it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from app.http.entrance import Entrance
from app.kit import problems
from app.kit.db import Database
from app.path.ledger import Entry, Ledger
from app.path.rows import RequestContext
from app.settings import Settings
from app.verdicts import endpoints
from rewards.recipe import parse_recipe
from tests.app.records import entry
from verifiers import registry

RECIPE = parse_recipe({"name": "plain", "terms": [{"verifier": "exact"}]})


@pytest.fixture
async def written(db: Database) -> list[Entry]:
    """Ten verdicts, even ones in run ``even``, then one reward; oldest first."""
    entries = [entry(f"s{index}") for index in range(10)]
    verifier = registry.create("exact", {})
    for one in entries:
        one.verdicts[0].producer = verifier.producer
    priced = entry("priced", priced=True)
    deadline = asyncio.get_running_loop().time() + 60
    async with Ledger(db, 1000) as ledger:
        await ledger.write(entries[::2], RequestContext(run="even", verifiers=[verifier]), deadline)
        await ledger.write(entries[1::2], RequestContext(run="odd"), deadline)
        await ledger.write([priced], RequestContext(run="priced"), deadline, RECIPE)
    return [*entries, priced]


@pytest.fixture
async def http(db: Database, tmp_path: Path) -> AsyncIterator[httpx2.AsyncClient]:
    app = FastAPI()
    app.include_router(endpoints.router)
    problems.install(app)
    settings = Settings(data_dir=tmp_path)
    app.add_middleware(Entrance, settings=settings, routes=(), count=lambda status, code: None)
    state = {"db": db, "settings": settings}

    async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": dict(state)}, receive, send)

    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(with_state), base_url="http://localhost") as client:
        yield client


def ids(answer: httpx2.Response) -> list[str]:
    return [record["verdict"]["id"] for record in answer.json()["verdicts"]]


async def test_a_verdict_is_explained_by_its_sample_and_parameters(
    http: httpx2.AsyncClient, written: list[Entry]
) -> None:
    one = written[0].verdicts[0]
    found = (await http.get(f"/v1/verdicts/{one.record}")).json()
    assert found["kind"] == "verdict"
    assert found["verdict"] == one.model_dump(mode="json")
    assert (found["run"], found["group"], found["sample"]) == ("even", "g", written[0].fingerprint)
    assert found["content"] == {"response": "s0", "reference": "s0", "data_source": "made up"}
    assert found["params"] == registry.create("exact", {}).params.model_dump(mode="json")


async def test_a_reward_is_explained_by_its_recipe_and_verdicts(http: httpx2.AsyncClient, written: list[Entry]) -> None:
    reward = written[-1].reward
    assert reward is not None
    found = (await http.get(f"/v1/verdicts/{reward.record}")).json()
    assert (found["kind"], found["recipe"], found["recipe_name"]) == ("reward", RECIPE.hash, "plain")
    assert found["reward"] == reward.model_dump(mode="json")
    assert found["recipe_body"] == RECIPE.model_dump(mode="json")
    assert [verdict["record"] for verdict in found["verdicts"]] == [written[-1].verdicts[0].record]


@pytest.mark.parametrize("name", ["nothing", "a%00b"])
async def test_an_unknown_record_is_not_found(http: httpx2.AsyncClient, name: str) -> None:
    answer = await http.get(f"/v1/verdicts/{name}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"run": "even"}, ["s8", "s6", "s4", "s2", "s0"]),
        ({"run": "even", "order": "oldest"}, ["s0", "s2", "s4", "s6", "s8"]),
        ({"sample_id": "s3"}, ["s3"]),
        ({"run": "odd", "outcome": "correct", "group": "g", "reason_code": "equal", "limit": "2"}, ["s9", "s7"]),
        ({"verifier": "nobody"}, []),
        ({"outcome": "timeout"}, []),
        ({"run": "a\x00b"}, []),
    ],
)
async def test_verdicts_are_filtered_and_ordered(
    http: httpx2.AsyncClient, written: list[Entry], query: dict[str, str], expected: list[str]
) -> None:
    assert ids(await http.get("/v1/verdicts", params=query)) == expected


@pytest.mark.parametrize("order", ["newest", "oldest"])
async def test_pages_cover_everything_once(http: httpx2.AsyncClient, written: list[Entry], order: str) -> None:
    found: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = await http.get("/v1/verdicts", params={"limit": "4", "order": order, **after})
        found += ids(page)
        if page.json()["next"] is None:
            break
        after = {"after": page.json()["next"]}
    expected = [one.verdicts[0].id for one in written]
    assert found == (expected if order == "oldest" else expected[::-1])


async def test_an_unknown_outcome_is_refused(http: httpx2.AsyncClient) -> None:
    assert (await http.get("/v1/verdicts", params={"outcome": "great"})).status_code == 422


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"run": "priced"}, 1),
        ({"run": "even"}, 0),
        ({"recipe": "plain"}, 1),
        ({"recipe": RECIPE.hash, "outcome": "correct"}, 1),
        ({"recipe": "other"}, 0),
        ({"sample_id": "priced"}, 1),
        ({"step": 5}, 0),
    ],
)
async def test_rewards_are_listed_and_filtered(
    http: httpx2.AsyncClient, written: list[Entry], query: dict[str, str], count: int
) -> None:
    page = (await http.get("/v1/rewards", params=query)).json()
    assert (len(page["rewards"]), page["next"]) == (count, None)
    for one in page["rewards"]:
        assert written[-1].reward is not None
        assert (one["record"], one["recipe_name"], one["run"]) == (written[-1].reward.record, "plain", "priced")


async def test_rewards_are_paged_both_ways(http: httpx2.AsyncClient, db: Database) -> None:
    deadline = asyncio.get_running_loop().time() + 60
    async with Ledger(db, 1000) as ledger:
        for number in range(5):
            await ledger.write([entry(f"s{number}", priced=True)], RequestContext(run="r"), deadline, RECIPE)
    for order, expected in (("oldest", ["s0", "s1", "s2", "s3", "s4"]), ("newest", ["s4", "s3", "s2", "s1", "s0"])):
        found: list[str] = []
        after: dict[str, str] = {}
        while True:
            page = (await http.get("/v1/rewards", params={"limit": "2", "order": order, **after})).json()
            found += [one["reward"]["id"] for one in page["rewards"]]
            if page["next"] is None:
                break
            after = {"after": page["next"]}
        assert found == expected
