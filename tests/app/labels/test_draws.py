"""Draws on both databases, from stored verdicts to stored items."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from app.audits.records import read_before, read_records
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.labels.draws import DrawsService
from app.labels.second_verdicts import acceptances, answers
from tests.app.labels.judged import Judged, record
from trueward.errors import InvalidRequest, NotFound
from trueward.wire.audit import Population, Subject
from trueward.wire.draw import Draw, DrawRequest

MATH = Subject(verifier="math")


async def made(db: Database, **spec: Any) -> Draw:
    return await DrawsService(db).make(DrawRequest.model_validate({"subject": {"verifier": "math"}, **spec}), "key")


def query(name: str, **options: Any) -> dict[str, Any]:
    return {"query": name, "probability": 1, **options}


async def test_every_query_finds_what_was_planted(db: Database) -> None:
    odd: dict[str, bool | None] = {"math": False, "exact": True}
    same: dict[str, bool | None] = {"math": True, "exact": True}
    group = [Judged(f"jump {place}", same, group="g1", evidence={"extracted": "2"}) for place in range(3)]
    group.append(Judged("jump 3", {"math": False, "exact": False}, group="g1", evidence={"extracted": "7 cm"}))
    suspects = [Judged(f"suspect {place}", odd, group="g2", evidence={"answer": "3"}) for place in range(3)]
    nothing = [Judged("no verdict", {"math": None, "exact": True}, group="g3")]
    await record(db, [*group, *suspects, *nothing], run="r")
    exact = {"verifier": "exact"}
    found = {
        "disagreement": await made(db, queries=[query("disagreement", other=exact)]),
        "group_jump": await made(db, queries=[query("group_jump")]),
        "new_form": await made(db, queries=[query("new_form", share=0.2)]),
        "suspected_reference": await made(db, queries=[query("suspected_reference", second=exact)]),
        "near_threshold": await made(db, queries=[query("near_threshold", threshold=0, margin=0.1)]),
        "random_stratified": await made(db, queries=[query("random_stratified")]),
    }
    drawn = {name: draw.queries for name, draw in found.items()}
    # strata of 4 rejected, 3 accepted and 1 without a verdict; a share of 1 asks for 8/3 of each
    assert drawn.pop("random_stratified")["random_stratified"] <= 8
    assert drawn == {
        "disagreement": {"disagreement": 3},
        "group_jump": {"group_jump": 1},
        "new_form": {"new_form": 1},
        "suspected_reference": {"suspected_reference": 3},
        "near_threshold": {"near_threshold": 4},
    }
    assert {draw.population for draw in found.values()} == {8}
    assert found["group_jump"].states == {"open": 1}
    assert found["group_jump"].owner == "key"


async def test_a_second_subject_is_looked_up_once(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Page by page the population was looked up anew for each page: minutes for some 100,000 verdicts."""
    await record(db, [Judged(f"one {place}", {"math": False, "exact": True}) for place in range(5)], run="r")
    monkeypatch.setattr("app.labels.second_verdicts._AT_ONCE", 2)
    reads = 0
    read = db.read

    def counted() -> AbstractAsyncContextManager[AsyncConnection]:
        nonlocal reads
        reads += 1
        return read()

    monkeypatch.setattr(db, "read", counted)
    said = await acceptances(db, Subject(verifier="exact"), MATH, Population(run="r"))
    assert (list(said.values()), reads) == ([True] * 5, 1)


async def test_two_queries_share_what_a_second_subject_said(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    await record(db, [Judged("one", {"math": False, "exact": True})], run="r")
    asked: list[Subject] = []

    async def once(db: Database, other: Subject, *of: Any) -> dict[str, bool | None]:
        asked.append(other)
        return {}

    monkeypatch.setattr("app.labels.design.acceptances", once)
    exact = {"verifier": "exact"}
    await made(db, queries=[query("disagreement", other=exact), query("suspected_reference", second=exact)], rest=1)
    assert asked == [Subject(verifier="exact")]


async def test_the_population_says_whose_verdicts(db: Database) -> None:
    await record(db, [Judged("one", {"math": True})], run="r", step=1)
    await record(db, [Judged("two", {"math": True})], run="r", step=2)
    await record(db, [Judged("three", {"math": True})], run="audit:x")
    assert (await made(db, rest=1)).population == 2
    assert (await made(db, rest=1, population={"run": "r", "first_step": 2})).population == 1
    assert (await made(db, rest=1, population={"run": "audit:x"})).population == 1


async def test_the_other_verdict_counts_wherever_it_was_given_the_latest_of_them(db: Database) -> None:
    await record(db, [Judged("one", {"math": True, "exact": True}), Judged("two", {"math": True})], run="r")
    await record(db, [Judged("one", {"exact": False})], run="audit:x")
    await record(db, [Judged("elsewhere", {"exact": False})], run="r")
    said = await acceptances(db, Subject(verifier="exact"), MATH, Population(run="r"))
    assert list(said.values()) == [False]


async def test_answers_come_from_the_evidence(db: Database) -> None:
    given: list[dict[str, Any]] = [
        {"answer": "1/2", "extracted": "\\frac12"},
        {"extracted": "2 cm", "form": "quantity"},
        {"rule": "boxed"},
        {"extracted": ["a", 1]},
    ]
    await record(db, [Judged(str(place), {"math": True}, evidence=one) for place, one in enumerate(given)])
    found = list((await answers(db, MATH, Population())).values())
    assert [(answer.text, answer.form) for answer in found[:2]] == [("1/2", "0/0"), ("2 cm", "quantity")]
    assert len(found) == 3


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"rest": 1, "population": {"run": "nobody's"}}, "has verdicts of math, and none in this population"),
        ({}, "nothing can be drawn"),
        ({"queries": [query("near_threshold", margin=1)]}, "needs a threshold"),
        ({"subject": {"recipe": "math"}, "queries": [query("new_form")]}, "name a verifier"),
    ],
)
async def test_a_draw_that_cannot_be_says_why(db: Database, spec: dict[str, Any], said: str) -> None:
    await record(db, [Judged("one", {"math": True})])
    with pytest.raises(InvalidRequest, match=said):
        await made(db, **spec)


async def test_draws_are_listed_newest_first(db: Database) -> None:
    await record(db, [Judged("one", {"math": True})])
    names = ["a", "b", "c"]
    for name in names:
        await made(db, rest=1, name=name)
    page = await DrawsService(db).page(PageRange(limit=2))
    rest = await DrawsService(db).page(PageRange(page.next, 2))
    assert [draw.name for draw in page.draws + rest.draws] == names[::-1]
    assert rest.next is None
    with pytest.raises(NotFound):
        await DrawsService(db).show("nothing")


async def test_what_was_read_already_is_what_reading_again_gives(db: Database) -> None:
    """An audit of the population of a draw has its records, and those that came since."""
    said = [Judged(f"one {place}", {"math": place % 3 > 0, "exact": place % 2 > 0}) for place in range(12)]
    await record(db, said[:8], run="r", step=1)
    await record(db, [Judged("other", {"exact": True})], run="elsewhere")
    until = now()
    await record(db, [*said[4:], Judged("one 0", {"math": True, "exact": False})], run="r", step=2)
    then, later = Population(run="r", until=until), Population(run="r")
    known = await read_records(db, MATH, later, ["step"])
    again = await read_records(db, MATH, then, [])
    found = await read_before(db, MATH, then, [], known)
    assert (found.record, found.sample) == (again.record, again.sample)
    assert (found.accepted == again.accepted).all()
    assert len(found) == 8 < len(known) == 17
    assert await read_before(db, MATH, Population(run="r", until=now()), ["step"], known) is known
    # of another population, another subject or another feature nothing is taken over
    for subject, population, features in (
        (MATH, Population(until=until), []),
        (Subject(verifier="exact"), then, []),
        (MATH, then, ["policy"]),
    ):
        read = await read_before(db, subject, population, features, known)
        assert read.record == (await read_records(db, subject, population, features)).record


@pytest.mark.parametrize("many", [0, 4])
async def test_a_second_subject_says_the_same_however_it_is_looked_up(
    db: Database, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    await record(db, [Judged(f"one {place}", {"math": True, "exact": place % 2 > 0}) for place in range(6)], run="r")
    await record(db, [Judged(f"else {place}", {"exact": True}) for place in range(3)], run="s")
    monkeypatch.setattr("app.labels.second_verdicts._MANY", many)
    exact, population = Subject(verifier="exact"), Population(run="r")
    samples = set((await read_records(db, MATH, population)).sample)
    assert await acceptances(db, exact, MATH, population, samples) == await acceptances(db, exact, MATH, population)
