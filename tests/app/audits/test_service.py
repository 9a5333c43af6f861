"""Audits are carried out once, to their end: whatever fails, whoever is killed, on both databases."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path as File
from typing import cast

import httpx2
import pytest
from sqlalchemy import update

from app.audits import service as module
from app.audits.rates import AuditedRates
from app.audits.repository import AuditsRepository
from app.audits.service import AuditsService
from app.kit.db import Database
from app.path.path import Path
from app.tables import Audit as AuditTable
from app.telemetry.metrics import Metrics
from audits.ports import Work
from tests.app.outage import outage
from tests.audits.made import report
from tests.live import serving
from trueward.errors import InvalidRequest, NotFound, Unavailable
from trueward.wire.audit import Audit, AuditReport, AuditRequest, AuditSpec, LabelledAudit, Subject

Kind = Callable[[AuditSpec, Work], Awaitable[AuditReport]]
PROBES = ["echo_question", "master_key", "null_model", "injection"]
FOUND = AuditReport(findings={"n": 1}, notes=["done"])


def service(db: Database, metrics: Metrics | None = None) -> AuditsService:
    """Without a path to score with: these audits ask nothing of anybody."""
    repository = AuditsRepository(db)
    return AuditsService(repository, db, cast(Path, None), AuditedRates(repository), metrics or Metrics(), 30.0)


def request(name: str = "") -> AuditRequest:
    return AuditRequest(name=name, audit=LabelledAudit(subject=Subject(verifier="math")))


async def ended(audits: AuditsService, audit: str) -> Audit:
    async with asyncio.timeout(20):
        while not (found := await audits.show(audit)).ended:
            await asyncio.sleep(0.02)
    return found


@pytest.fixture
def kind(monkeypatch: pytest.MonkeyPatch) -> Callable[[Kind], None]:
    """Says what carries audits out."""
    return lambda made: monkeypatch.setattr(module, "carry_out", made)


async def test_an_audit_ends_with_its_report(db: Database, kind: Callable[[Kind], None]) -> None:
    async def counted(spec: AuditSpec, work: Work) -> AuditReport:
        await work.progress(1, 4)
        return FOUND

    kind(counted)
    async with service(db) as audits:
        audit = await audits.accept(request("mine"), "key1")
        assert (audit.state, audit.name, audit.owner, audit.report) == ("waiting", "mine", "key1", None)
        found = await ended(audits, audit.id)
    assert (found.state, found.report, found.failure) == ("completed", FOUND, None)
    assert (found.done, found.total) == (4, 4)
    assert found.finished_at is not None
    assert found.finished_at >= found.created_at


async def test_a_completed_audit_is_counted_with_its_rates(db: Database, kind: Callable[[Kind], None]) -> None:
    """By the estimate that a gate goes by."""

    async def measured(spec: AuditSpec, work: Work) -> AuditReport:
        return report()

    kind(measured)
    metrics = Metrics()
    async with service(db, metrics) as audits, asyncio.timeout(20):
        await audits.accept(request(), None)
        while b'trueward_audits_total{kind="labelled"} 1.0' not in metrics.render():
            await asyncio.sleep(0.02)
    shown = metrics.render().decode()
    labels = 'kind="labelled",rate="false_positive",subject="math"'
    assert f'trueward_audited_rate{{bound="upper",{labels}}} 0.0261' in shown
    assert f'trueward_audited_rate{{bound="lower",{labels}}} 0.0051' in shown


async def test_the_rates_of_audits_are_shown_after_a_restart(db: Database, kind: Callable[[Kind], None]) -> None:
    """Of each kind and subject the newest completed."""

    async def measured(spec: AuditSpec, work: Work) -> AuditReport:
        return report()

    kind(measured)
    async with service(db) as audits:
        await ended(audits, (await audits.accept(request(), None)).id)
    metrics = Metrics()
    assert b"trueward_audited_rate{" not in metrics.render()
    await service(db, metrics).show_rates()
    labels = 'kind="labelled",rate="false_positive",subject="math"'
    assert f'trueward_audited_rate{{bound="upper",{labels}}} 0.0261' in metrics.render().decode()
    assert b"trueward_audits_total{" not in metrics.render()


def test_subjects_without_end_are_not_shown_without_end() -> None:
    metrics = Metrics()
    for index in range(300):
        metrics.count_audit("labelled", f"verifier{index}", report())
    assert metrics.render().count(b'bound="rate"') == 2 * 200
    assert b'trueward_audits_total{kind="labelled"} 300.0' in metrics.render()


async def test_progress_is_seen_while_it_goes_on(db: Database, kind: Callable[[Kind], None]) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def slow(spec: AuditSpec, work: Work) -> AuditReport:
        await work.progress(3, 8)
        reached.set()
        await go_on.wait()
        return FOUND

    kind(slow)
    async with service(db) as audits:
        audit = (await audits.accept(request(), None)).id
        await reached.wait()
        async with asyncio.timeout(20):
            while (found := await audits.show(audit)).total == 0:
                await asyncio.sleep(0.02)
        assert (found.state, found.done, found.total) == ("running", 3, 8)
        go_on.set()
        assert (await ended(audits, audit)).state == "completed"


async def test_a_cancelled_audit_stops_and_stays_cancelled(db: Database, kind: Callable[[Kind], None]) -> None:
    reached, stopped = asyncio.Event(), asyncio.Event()

    async def endless(spec: AuditSpec, work: Work) -> AuditReport:
        reached.set()
        try:
            return await asyncio.Event().wait() and FOUND
        finally:
            stopped.set()

    kind(endless)
    async with service(db) as audits:
        running, waiting = [(await audits.accept(request(), None)).id for _ in range(2)]
        await reached.wait()
        assert (await audits.cancel(waiting)).failure == "cancelled"
        found = await audits.cancel(running)
        assert (found.state, found.failure, found.report) == ("failed", "cancelled", None)
        async with asyncio.timeout(5):
            await stopped.wait()
        kind(_at_once)
        last = await audits.accept(request(), None)
        assert (await ended(audits, last.id)).state == "completed"
        assert await audits.cancel(last.id) == await audits.show(last.id)
        assert [(await audits.show(one)).failure for one in (running, waiting)] == ["cancelled"] * 2


async def _at_once(spec: AuditSpec, work: Work) -> AuditReport:
    return FOUND


async def test_what_was_cancelled_at_the_last_moment_is_not_counted(db: Database, kind: Callable[[Kind], None]) -> None:
    metrics = Metrics()
    audits = service(db, metrics)

    async def too_late(spec: AuditSpec, work: Work) -> AuditReport:
        await audits.cancel(work.id)
        return FOUND

    kind(too_late)
    async with audits:
        found = await ended(audits, (await audits.accept(request(), None)).id)
    assert (found.state, found.failure, found.report) == ("failed", "cancelled", None)
    assert b"trueward_audits_total{" not in metrics.render()


async def test_a_refusal_is_the_failure_in_its_own_words(db: Database, kind: Callable[[Kind], None]) -> None:
    async def refusing(spec: AuditSpec, work: Work) -> AuditReport:
        raise InvalidRequest("there are no labels\x00: upload some")

    kind(refusing)
    async with service(db) as audits:
        found = await ended(audits, (await audits.accept(request(), None)).id)
    assert (found.state, found.failure, found.report) == ("failed", "there are no labels\ufffd: upload some", None)


@pytest.mark.parametrize("bug", [KeyError("x\x00"), AssertionError(), ZeroDivisionError("by zero")])
async def test_a_bug_fails_and_is_never_a_report(db: Database, kind: Callable[[Kind], None], bug: Exception) -> None:
    async def broken(spec: AuditSpec, work: Work) -> AuditReport:
        raise bug

    kind(broken)
    metrics = Metrics()
    async with service(db, metrics) as audits:
        found = await ended(audits, (await audits.accept(request(), None)).id)
    assert (found.state, found.report) == ("failed", None)
    assert (found.failure or "").startswith(f"a bug of ours: {type(bug).__name__}")
    assert b"trueward_audits_total{" not in metrics.render()


async def test_a_report_that_cannot_be_read_back_is_a_bug(db: Database, kind: Callable[[Kind], None]) -> None:
    async def unreadable(spec: AuditSpec, work: Work) -> AuditReport:
        return AuditReport.model_construct(findings={"a": cast(str, object())})

    kind(unreadable)
    async with service(db) as audits:
        found = await ended(audits, (await audits.accept(request(), None)).id)
    assert found.state == "failed"


async def test_text_and_numbers_that_no_database_takes_are_mended(db: Database, kind: Callable[[Kind], None]) -> None:
    async def strange(spec: AuditSpec, work: Work) -> AuditReport:
        made = AuditReport(findings={"text": "a\x00b"}, notes=["\x00"])
        made.findings["nan"] = float("nan")
        return made

    kind(strange)
    async with service(db) as audits:
        found = await ended(audits, (await audits.accept(request(), None)).id)
    assert found.report == AuditReport(findings={"nan": None, "text": "a\ufffdb"}, notes=["\ufffd"])


async def test_two_at_once_both_end(db: Database, kind: Callable[[Kind], None]) -> None:
    async def named(spec: AuditSpec, work: Work) -> AuditReport:
        await asyncio.sleep(0.05)
        return AuditReport(findings={"id": work.id})

    kind(named)
    async with service(db) as audits:
        ids = [(await audits.accept(request(), None)).id for _ in range(2)]
        for audit in ids:
            assert (await ended(audits, audit)).report == AuditReport(findings={"id": audit})


async def test_several_are_carried_out_at_once_and_the_rest_after_them(
    db: Database, kind: Callable[[Kind], None]
) -> None:
    """Three wait for each other; were they carried out one after the other, none would end."""
    together, going = asyncio.Barrier(3), 0
    most = 0

    async def meeting(spec: AuditSpec, work: Work) -> AuditReport:
        nonlocal going, most
        going += 1
        most = max(most, going)
        await together.wait()
        going -= 1
        return FOUND

    kind(meeting)
    async with service(db) as audits:
        ids = [(await audits.accept(request(), None)).id for _ in range(6)]
        for audit in ids:
            assert (await ended(audits, audit)).state == "completed"
    assert most == 3


async def test_one_that_has_to_wait_holds_up_no_other(db: Database, kind: Callable[[Kind], None]) -> None:
    tries: Counter[str] = Counter()

    async def first_waits(spec: AuditSpec, work: Work) -> AuditReport:
        tries[work.id] += 1
        if work.id == first.id and tries[first.id] == 1:
            raise Unavailable("the sandbox is down")
        return FOUND

    kind(first_waits)
    audits = service(db)
    first, second = await audits.accept(request(), None), await audits.accept(request(), None)
    async with audits:
        assert (await ended(audits, second.id)).state == "completed"
        assert (await ended(audits, first.id)).state == "completed"
    assert tries == {first.id: 2, second.id: 1}


async def test_what_a_stop_interrupts_is_open_and_carried_out_again(db: Database, kind: Callable[[Kind], None]) -> None:
    started: Counter[str] = Counter()
    reached = asyncio.Event()

    async def interrupted_once(spec: AuditSpec, work: Work) -> AuditReport:
        started[work.id] += 1
        reached.set()
        if started[work.id] == 1:
            await asyncio.Event().wait()
        return FOUND

    kind(interrupted_once)
    async with service(db) as audits:
        audit = (await audits.accept(request(), None)).id
        await reached.wait()
    assert (await audits.show(audit)).state == "running"
    async with service(db) as audits:
        assert (await ended(audits, audit)).report == FOUND
    assert started == {audit: 2}


async def test_an_outage_of_the_database_loses_no_audit(db: Database, kind: Callable[[Kind], None]) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def waiting(spec: AuditSpec, work: Work) -> AuditReport:
        reached.set()
        await go_on.wait()
        return FOUND

    kind(waiting)
    async with service(db) as audits:
        audit = (await audits.accept(request(), None)).id
        await reached.wait()
        async with outage(db):
            go_on.set()
            await asyncio.sleep(0.3)
        assert (await ended(audits, audit)).report == FOUND


@pytest.mark.postgres
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_two_servers_share_the_audits(db: Database, database_url: str, kind: Callable[[Kind], None]) -> None:
    started: Counter[str] = Counter()

    async def counted(spec: AuditSpec, work: Work) -> AuditReport:
        started[work.id] += 1
        await asyncio.sleep(0.1)
        return FOUND

    kind(counted)
    async with Database(database_url) as other, service(db) as here, service(other) as there:
        ids = [(await audits.accept(request(), None)).id for audits in (here, there) * 4]
        for audit in ids:
            assert (await ended(here, audit)).state == "completed"
    assert started == dict.fromkeys(ids, 1)


async def test_what_this_version_cannot_read_fails_and_holds_up_nothing(
    db: Database, kind: Callable[[Kind], None]
) -> None:
    kind(_at_once)
    audits = service(db)
    old = (await audits.accept(request(), None)).id
    async with db.write() as connection:
        await connection.execute(update(AuditTable).where(AuditTable.id == old).values(spec={"kind": "of old"}))
    async with audits, asyncio.timeout(20):
        await ended(audits, (await audits.accept(request(), None)).id)
        while not (found := await audits.progress(old)).ended:
            await asyncio.sleep(0.02)
    assert (found.state, found.done) == ("failed", 0)
    assert "cannot read it" in (found.failure or "")


async def test_an_unknown_audit_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound, match="no audit 'nope'"):
        await service(db).show("nope")
    with pytest.raises(NotFound, match="no audit 'nope'"):
        await service(db).cancel("nope")


def test_an_audit_survives_a_kill_of_the_service(tmp_path: File) -> None:
    samples = [
        {"prompt": f"{index} + 1?", "response": f"\\boxed{{{index + 1}}}", "reference": str(index + 1)}
        for index in range(60)
    ]
    spec = {"kind": "exploit", "subject": {"verifier": "math"}, "given": {"samples": samples}, "probes": PROBES}
    with serving(tmp_path) as live, httpx2.Client(base_url=live.url, trust_env=False) as http:
        audit = http.post("/v1/audits", json={"audit": spec}, timeout=30).json()["id"]
        while http.get(f"/v1/audits/{audit}").json()["state"] == "waiting":
            pass
        live.process.kill()
        live.process.wait()
    with serving(tmp_path) as live, httpx2.Client(base_url=live.url, trust_env=False, timeout=30) as http:
        for _ in range(600):
            found = http.get(f"/v1/audits/{audit}").json()
            if found["state"] in ("completed", "failed"):
                break
            asyncio.run(asyncio.sleep(0.1))
    assert found["state"] == "completed", found["failure"]
    assert found["report"]["versions"].keys() == {"math"}
