"""Audits in both databases: what has ended is final, lists are newest first, whatever was asked for comes back."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import update

from app.audits.repository import AuditsRepository
from app.kit.clock import now
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.tables.labels import Audit as AuditTable
from tests.audits.made import report
from trueward.wire.audit import (
    Audit,
    AuditReport,
    AuditSpec,
    BenchAudit,
    ConsensusAudit,
    ExploitAudit,
    GivenSamples,
    LabelledAudit,
    MetamorphicAudit,
    Population,
    ReverifyAudit,
    Subject,
)
from trueward.wire.sample import Sample

MATH = Subject(verifier="math", params={"tolerance": 0.1}, threshold=0.5)
SPECS: list[AuditSpec] = [
    LabelledAudit(subject=MATH, against=Subject(verifier="exact"), population=Population(since=now(), first_step=3)),
    ConsensusAudit(subjects=[MATH, Subject(verifier="exact"), Subject(recipe="math")]),
    MetamorphicAudit(subject=MATH, given=GivenSamples(population=Population(run="r"))),
    ExploitAudit(
        subject=MATH, given=GivenSamples(samples=[Sample(prompt="1?", reference=["1", "2"])]), probes=["empty"]
    ),
    BenchAudit(subject=Subject(recipe={"terms": ["math"]}), format="pairs", rows=[{"a": 1, "deep": [{"b": None}]}]),
    ReverifyAudit(subject=MATH, before=Subject(verifier="math", version="1")),
]


def made(spec: AuditSpec, name: str = "") -> Audit:
    return Audit(id=new_id(), name=name, spec=spec, state="waiting", owner="key1", created_at=now())


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.kind)
async def test_what_was_asked_for_comes_back(db: Database, spec: AuditSpec) -> None:
    repository = AuditsRepository(db)
    audit = made(spec, "mine")
    await repository.add(audit, "math")
    assert await repository.find(audit.id) == audit
    assert await repository.list_unfinished() == [audit.id]


async def test_a_report_comes_back_whole(db: Database) -> None:
    repository = AuditsRepository(db)
    audit = made(SPECS[0])
    await repository.add(audit, "math")
    await repository.progress(audit.id, 5, 9)
    await repository.complete(audit.id, report())
    found = await repository.find(audit.id)
    assert found is not None
    assert found.report == report()
    assert (found.done, found.total) == (9, 9)
    assert await repository.list_unfinished() == []


async def test_what_has_ended_is_final(db: Database) -> None:
    repository = AuditsRepository(db)
    audit = made(SPECS[0])
    await repository.add(audit, "math")
    await repository.complete(audit.id, report())
    before = await repository.find(audit.id)
    await repository.fail(audit.id, "too late")
    await repository.complete(audit.id, AuditReport(findings={"other": 1}))
    await repository.progress(audit.id, 1, 2)
    assert await repository.find(audit.id) == before


async def test_lists_are_newest_first_by_kind_and_subject_page_by_page(db: Database) -> None:
    repository = AuditsRepository(db)
    made_here = [made(SPECS[index % 2], str(index)) for index in range(6)]
    for index, audit in enumerate(made_here):
        await repository.add(audit, ["math", "exact"][index // 3])
        await asyncio.sleep(0.002)  # ids order by time, in milliseconds
    everything = await repository.page(PageRange(limit=10), None, None)
    assert [one.name for one in everything] == ["5", "4", "3", "2", "1", "0"]
    assert [one.name for one in await repository.page(PageRange(everything[1].id, 2), None, None)] == ["3", "2", "1"]
    assert [one.name for one in await repository.page(PageRange(limit=10), "consensus", "exact")] == ["5", "3"]
    assert await repository.page(PageRange(limit=10), "nothing", None) == []


async def test_rates_of_an_audit_in_another_versions_form_can_be_had(db: Database) -> None:
    """They are asked for when the service starts, which must not fail for an old audit."""
    repository = AuditsRepository(db)
    audits = [made(SPECS[0]), made(SPECS[1])]
    for audit in audits:
        await repository.add(audit, "math")
        await repository.complete(audit.id, report().model_copy(update={"rates": {"pooled": 1}}))
        old = {**audit.spec.model_dump(mode="json"), "level": 7, "gone": True}
        async with db.write() as connection:
            await connection.execute(update(AuditTable).where(AuditTable.id == audit.id).values(spec=old))
    assert [await repository.rates(audit.id) for audit in audits] == [("math", {"pooled": 1})] * 2
    assert await repository.rates("nope") is None


async def completed(repository: AuditsRepository, spec: AuditSpec, subject: str) -> str:
    audit = made(spec)
    await repository.add(audit, subject)
    await repository.complete(audit.id, report())
    return audit.id


async def test_of_each_kind_and_subject_the_newest_is_listed(db: Database) -> None:
    repository = AuditsRepository(db)
    old = await completed(repository, SPECS[0], "math")
    exploit = await completed(repository, SPECS[3], "math")
    other = await completed(repository, SPECS[0], "exact")
    new = await completed(repository, SPECS[0], "math")
    waiting = made(SPECS[3])
    await repository.add(waiting, "math")
    assert [one.id for one in await repository.newest(10)] == [waiting.id, new, other]
    assert [one.id for one in await repository.newest(1)] == [waiting.id]
    assert await repository.find_completed("math") == {"labelled": new, "exploit": exploit}
    assert old < new


async def test_past_rates_go_back_from_one_audit(db: Database) -> None:
    repository = AuditsRepository(db)
    ids = [await completed(repository, SPECS[0], "math") for _ in range(4)]
    await completed(repository, SPECS[3], "math")
    await completed(repository, SPECS[0], "exact")
    past = await repository.past_rates("math", "labelled", ids[2], 2)
    assert [one.id for one in past] == [ids[2], ids[1]]
    assert past[0].false_positives == report().false_positives
    assert past[0].versions == report().versions
    assert past[0].finished_at is not None
