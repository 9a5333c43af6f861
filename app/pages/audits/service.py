"""The pages of audits, put together from what the service of audits has."""

from __future__ import annotations

import asyncio

from app.audits.repository import PastRates, find_second
from app.audits.samples import show_records
from app.audits.service import AuditsService
from app.kit.db import Database
from app.kit.paging import PageRange
from app.pages.audits.matrix import Cell, cell_records, cell_title, matrix
from app.pages.audits.parts import PageParts
from app.pages.audits.rates import big_numbers
from app.pages.audits.views import AuditForm, AuditRow, AuditsView, AuditView, CellSample, CellView
from app.pages.pickers import recent_runs
from app.pages.sample.view import describe_record
from app.recipes.service import RecipesService
from app.runs.service import Runs
from audits.report.view import KINDS, facts, subject_names
from trueward.wire.audit import Audit, AuditReport, AuditSummary, ConsensusAudit
from trueward.wire.base import Wire
from verifiers import registry

_PAST = 20
_CONSENSUS = 50
PAGE = 50
CELL_PAGE = 25
_BEFORE = ("labelled", "exploit", "metamorphic", "consensus", "bench")
_BESIDE = ("labelled", "metamorphic", "exploit")


class AuditListQuery(Wire):
    """Which audits a list shows."""

    kind: str | None = None
    subject: str | None = None
    after: str | None = None


async def audits_view(
    audits: AuditsService, recipes: RecipesService, runs: Runs, asked: AuditListQuery, form: AuditForm
) -> AuditsView:
    """Without kind, subject and place the newest of each kind and subject."""
    found, following = await _listed(audits, asked)
    rates = await audits.rates_of([one.id for one in found])
    return AuditsView(
        audits=[row_of(one, rates.get(one.id)) for one in found],
        subject=asked.subject,
        kind=asked.kind,
        next=following,
        open=any(not one.ended for one in found),
        form=form,
        verifiers=list(registry.names()),
        recipes=[recipe.name for recipe in recipes.all()],
        runs=await recent_runs(runs),
    )


def row_of(summary: AuditSummary, found: PastRates | None) -> AuditRow:
    """An audit of a list, with its rates where it has any."""
    numbers, against = [], None
    if found is not None:
        against = next((one.removeprefix("verifier:") for one in find_second(found.origins)), None)
        positives, negatives = found.false_positives, found.false_negatives
        numbers = big_numbers(AuditReport(findings={}, false_positives=positives, false_negatives=negatives))
    return AuditRow(**summary.model_dump(), numbers=numbers, against=against)


async def _listed(audits: AuditsService, asked: AuditListQuery) -> tuple[list[AuditSummary], str | None]:
    """Re-verifications have a page of their own."""
    if asked == AuditListQuery():
        newest = await audits.newest(4 * PAGE)
        return [one for one in newest if one.kind != "reverify"], None
    page = await audits.page(PageRange(asked.after, PAGE), asked.kind, asked.subject)
    return page.audits, page.next


async def newest_of(audits: AuditsService, subject: str) -> str | None:
    """The audit that a verifier's page shows: the newest labelled one that is completed, else one of another kind."""
    completed = await audits.find_completed(subject)
    return next((completed[kind] for kind in _BEFORE if kind in completed), None)


async def audit_view(audits: AuditsService, recipes: RecipesService, audit: str, limit: float) -> AuditView:
    """Raises :class:`NotFound`."""
    main = await audits.show(audit)
    subject = subject_names(main).replace(", ", " ") if main.spec.kind == "consensus" else subject_names(main)
    newest = await audits.find_completed(subject)
    history, others = [], {}
    if main.report is not None:
        past = await audits.past_rates(subject, main.spec.kind, main.id, _PAST)
        truth = find_second(main.report.origins)  # a rate against labels is no earlier point of one against a verifier
        history = [one for one in past if find_second(one.origins) == truth]
        others = await _others(audits, main, newest, subject)
    report = main.report
    rows = await asyncio.to_thread(matrix, main)
    return AuditView(
        id=main.id,
        name=main.name,
        what=f"{KINDS[main.spec.kind]} of {subject_names(main)}",
        subject=subject,
        kind=main.spec.kind,
        state=main.state,
        done=main.done,
        total=main.total,
        failure=main.failure,
        created_at=main.created_at,
        finished_at=main.finished_at,
        facts=list(facts(main)),
        level=main.spec.level,
        limit=limit,
        numbers=[] if report is None else big_numbers(report, limit),
        versions={} if report is None else report.versions,
        origins={} if report is None else report.origins,
        notes=[] if report is None else report.notes,
        matrix=rows,
        no_matrix="" if rows else "This audit compares no verdicts with labels.",
        parts=[] if report is None else await asyncio.to_thread(PageParts(main, others, history).all),
        report=report,
        newest=newest,
        corrected=(corrected := find_rated_verifier(main)),
        correctable=[recipe.name for recipe in recipes.all() if corrected in recipe.verifiers] if corrected else [],
    )


def find_rated_verifier(audit: Audit) -> str:
    """The verifier of which the report has rates for recipes: of a consensus the first. Empty where there is none."""
    if audit.report is None or audit.report.rates is None:
        return ""
    first = audit.spec.subjects[0] if isinstance(audit.spec, ConsensusAudit) else audit.spec.subject
    return first.verifier or ""


async def _others(audits: AuditsService, main: Audit, newest: dict[str, str], subject: str) -> dict[str, Audit]:
    """What stands beside an audit: the newest of the other kinds, and a consensus that the subject took part in."""
    wanted: dict[str, str] = {kind: newest[kind] for kind in _BESIDE if kind in newest}
    together = await audits.page(PageRange(limit=_CONSENSUS), "consensus", None)
    for one in together.audits:
        if one.state == "completed" and f" {subject} " in f" {one.subject} ":
            wanted["consensus"] = one.id
            break
    wanted.pop(main.spec.kind, None)
    return {kind: await audits.show(audit) for kind, audit in wanted.items()}


async def cell_view(audits: AuditsService, db: Database, audit: str, cell: Cell, after: str | None) -> CellView:
    """Raises :class:`NotFound`."""
    found = await audits.show(audit)
    records, count = cell_records(found, cell)
    behind = [record for record in records if after is None or record < after]
    page = behind[:CELL_PAGE]
    rewards = found.spec.kind == "labelled" and found.spec.subject.recipe is not None
    shown = await show_records(db, page, rewards=rewards)
    samples = [shown[record] for record in page if record in shown]
    return CellView(
        audit=audit,
        title=cell_title(cell),
        cell=cell,
        count=count,
        listed=len(records),
        samples=await asyncio.to_thread(
            lambda: [CellSample(**dict(one), told=describe_record(one)) for one in samples]
        ),
        gone=[record for record in page if record not in shown],
        next=f"/ui/audits/{audit}/cells/{cell}?after={page[-1]}" if len(behind) > len(page) else None,
    )
