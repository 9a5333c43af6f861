"""Audits: asked for, carried out a few at once, kept for good.

An audit that a kill interrupts is carried out from its start again; on PostgreSQL one server has it at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import partial

import structlog
from pydantic import ValidationError

from app.audits.judging import Judging
from app.audits.ledger import StoredLedger
from app.audits.population import RUN
from app.audits.rates import AuditedRates
from app.audits.repository import AuditsRepository, PastRates
from app.kit.background import Background, Trouble
from app.kit.claim import claim
from app.kit.clock import now
from app.kit.commits import Commits
from app.kit.db import Database, is_outage
from app.kit.lookup import resolve
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.path.ledger import LedgerUnavailable
from app.path.path import Path
from app.projects.visibility import Sight, sight_of_owner
from app.telemetry.metrics import Metrics
from app.webhooks.outbox import hook_of
from audits.kinds import carry_out, refuse_unknown
from audits.ports import Work
from trueward.errors import NotFound, Overloaded, RequestRefused, Unavailable
from trueward.wire.audit import Audit, AuditPage, AuditReport, AuditRequest, AuditSummary, ConsensusAudit, Subject

_POLL_S = 1.0
_WRITE_S = 0.5
_AT_ONCE = 3
"""Audits that one server carries out: each may hold a million records in memory."""
_SHOWN = 200
"""Audits whose rates are shown again after a start."""
log = structlog.get_logger(__name__)


class AuditsService(Background):
    """An async context manager: carries audits out while it is open. ``loopback``: webhooks may lead to this
    machine."""

    task = "audits"

    def __init__(
        self,
        repository: AuditsRepository,
        db: Database,
        path: Path,
        rates: AuditedRates,
        metrics: Metrics,
        deadline_s: float,
        *,
        loopback: bool = True,
    ) -> None:
        self._db = db
        self._loopback = loopback
        self._path = path
        self._metrics = metrics
        self._deadline_s = deadline_s
        self._rates = rates
        self._repository = repository
        self._wake = asyncio.Event()
        self._commits = Commits(db)  # since there was no unfinished audit

    def visible_to(self, sight: Sight) -> AuditsService:
        """The same for somebody who sees these audits alone."""
        seen = copy(self)
        seen._repository = AuditsRepository(sight.of(self._db))
        return seen

    async def accept(self, request: AuditRequest, owner: str | None) -> Audit:
        """Raises what its subject is refused with where the audit judges anew: unknown verifier, bad parameters."""
        spec = request.audit
        audit = Audit(id=new_id(), name=request.name, spec=spec, state="waiting", owner=owner, created_at=now())
        refuse_unknown(spec)
        self._judging(audit).admit(spec)
        hook = hook_of(request, loopback=self._loopback)
        await self._repository.add(audit, " ".join(subject.name for subject in subjects(audit)), hook)
        self._wake.set()
        return audit

    async def show(self, said: str) -> Audit:
        """By id, or as :mod:`app.kit.lookup` says. Raises :class:`NotFound`."""
        found = await self._repository.find(said)
        if found is None:
            found = await self._repository.find(await self._meant(said))
        if found is None:
            raise _unknown(said)
        return found

    async def progress(self, audit: str) -> AuditSummary:
        """Of an id: what waits was told it. Raises :class:`NotFound`."""
        found = await self._repository.summary(audit)
        if found is None:
            raise _unknown(audit)
        return found

    async def cancel(self, said: str) -> Audit:
        """Ends an audit that waits, or runs on whichever server, within a second or two. Raises :class:`NotFound`."""
        audit = (await self.show(said)).id
        await self._repository.fail(audit, "cancelled")
        return await self.show(audit)

    async def find_rated(self, said: str, verifiers: Collection[str]) -> tuple[str, str] | None:
        """The completed audit that is called so and measured the rates of one of these verifiers, and which of them it
        was. None where there is none; raises :class:`InvalidRequest` where several are called so."""
        found = await self._repository.find_rated(said, verifiers)
        audit = resolve(said, "audit", [one for one, _ in found])
        if audit is None:
            return None
        await self._rates.refresh()  # another server may have completed it just now
        return audit, next(verifier for one, verifier in found if one.id == audit)

    async def _meant(self, said: str) -> str:
        """Raises :class:`NotFound`."""
        audit = resolve(said, "audit", await self._repository.find_candidates(said))
        if audit is None:
            raise _unknown(said)
        return audit

    async def page(self, wanted: PageRange, kind: str | None, subject: str | None) -> AuditPage:
        """Newest first."""
        found, following = wanted.cut(await self._repository.page(wanted, kind, subject), lambda one: one.id)
        return AuditPage(audits=found, next=following)

    async def rates_of(self, audits: Collection[str]) -> dict[str, PastRates]:
        """What those of the audits found that are completed, by id."""
        return await self._repository.rates_of(audits)

    async def newest(self, limit: int) -> list[AuditSummary]:
        """Of each kind and subject the newest, newest first."""
        return await self._repository.newest(limit)

    async def measured_of_run(self, run: str, limit: int) -> list[AuditSummary]:
        """The newest completed audits that measured rates in a run."""
        return await self._repository.measured_of_run(run, limit)

    async def find_completed(self, subject: str) -> dict[str, str]:
        """By kind the newest completed audit of a subject."""
        return await self._repository.find_completed(subject)

    async def past_rates(self, subject: str, kind: str, until: str, limit: int) -> list[PastRates]:
        """Newest first, from the audit ``until`` backwards."""
        return await self._repository.past_rates(subject, kind, until, limit)

    async def show_rates(self) -> None:
        """What the newest completed audits found, as metrics: what was counted before a restart is gone."""
        for kind, subject, rates in await self._repository.newest_rates(_SHOWN):
            self._metrics.show_audit(kind, subject, rates)

    async def _run(self) -> None:
        running: dict[str, asyncio.Task[bool]] = {}
        trouble = Trouble("audits are not carried out; trying again")
        try:
            while True:
                self._wake.clear()
                await self._start(running, trouble)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_POLL_S):
                        await self._wake.wait()
        finally:
            for task in running.values():
                task.cancel()
            await asyncio.gather(*running.values(), return_exceptions=True)

    async def _start(self, running: dict[str, asyncio.Task[bool]], trouble: Trouble) -> None:
        """As many of those that wait as there is room for, the oldest first."""
        if not self._commits.new():
            return
        try:
            waiting = await self._repository.list_unfinished()
            if not waiting:
                self._commits.settle()
            trouble.over()
        except Exception as failure:  # noqa: BLE001 - the worker outlives an outage of the database, and any bug
            trouble.note_error(failure)
            return
        for audit in waiting:
            if len(running) < _AT_ONCE and audit not in running:
                running[audit] = asyncio.create_task(self._attempt(audit))
                running[audit].add_done_callback(partial(self._make_room, running, audit))

    def _make_room(self, running: dict[str, asyncio.Task[bool]], audit: str, task: asyncio.Task[bool]) -> None:
        """What could not be carried out is tried again by the clock, so that an outage is no busy loop."""
        running.pop(audit, None)
        if not task.cancelled() and task.result():
            self._wake.set()

    async def _attempt(self, name: str) -> bool:
        """Carries out an audit that nobody else has, and says whether it did. One that an outage stops holds up no
        other."""
        try:
            async with claim(self._db, f"audit:{name}") as granted:
                audit = await self._repository.find(name) if granted is not None else None
                if audit is None or audit.ended:
                    return False
                await self._carry_out(audit)
        except ValidationError:
            await self._repository.fail(name, "an earlier version of the service took it, and this one cannot read it")
        except Exception as failure:  # noqa: BLE001 - an outage ends some time: the audit is carried out again
            log.error("an audit is carried out again", audit=name, error=failure)
            return False
        return True

    async def _carry_out(self, audit: Audit) -> None:
        sight = await sight_of_owner(self._db, audit.owner)
        judging = self._judging(audit, sight.project)
        progress = _Progress()
        work = Work(audit.id, StoredLedger(sight.of(self._db)), judging, progress)
        try:
            await self._repository.progress(audit.id, 0, 0)
            report = await self._followed(audit.id, carry_out(audit.spec, work), progress)
            if report is None:
                log.info("an audit was cancelled", audit=audit.id)
                return
            report.versions |= judging.list_versions()
            if not await self._repository.complete(audit.id, report):
                return
        except RequestRefused as refusal:
            await self._repository.fail(audit.id, refusal.detail)
        except (LedgerUnavailable, Overloaded, Unavailable):
            raise  # it is carried out again when that is over
        except Exception as failure:  # an outage is raised again, the audit fails for the rest
            if is_outage(failure):
                raise
            log.error("an audit failed", audit=audit.id, exc_info=failure)
            await self._repository.fail(audit.id, f"a bug of ours: {type(failure).__name__}: {str(failure)[:300]}")
        else:
            self._metrics.count_audit(audit.spec.kind, subjects(audit)[0].name, report)
            await self._rates.refresh()

    async def _followed(
        self, audit: str, work: Coroutine[None, None, AuditReport], progress: _Progress
    ) -> AuditReport | None:
        """Writes down how far it is, and lets go of it where it was cancelled meanwhile: then None."""
        task = asyncio.create_task(work)
        try:
            finished = False
            while await self._repository.progress(audit, progress.done, progress.total):
                if finished:
                    return task.result()
                await asyncio.wait([task], timeout=_WRITE_S)
                finished = task.done()
            return None
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _judging(self, audit: Audit, project: str | None = None) -> Judging:
        return Judging(self._path, RUN + audit.id, audit.owner, project, self._deadline_s)


@dataclass(slots=True)
class _Progress:
    """How far an audit says that it is."""

    done: int = 0
    total: int = 0

    async def __call__(self, done: int, total: int) -> None:
        self.done, self.total = done, total


def _unknown(audit: str) -> NotFound:
    return NotFound(
        f"there is no audit {audit[:100]!r}, by id, name, run or beginning of an id; GET /v1/audits lists them"
    )


def subjects(audit: Audit) -> list[Subject]:
    """What the audit is about, the first of it first."""
    spec = audit.spec
    return spec.subjects if isinstance(spec, ConsensusAudit) else [spec.subject]
