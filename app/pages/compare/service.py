"""The pages of comparisons, put together from re-verifications."""

from __future__ import annotations

import json
from typing import Any

from app.audits.population import RUN
from app.audits.service import AuditsService
from app.kit.db import Database
from app.kit.paging import PageRange
from app.pages.audits.form import request_of, subject_of, whole
from app.pages.compare.flips import WAYS, flips_of, parse_flips
from app.pages.compare.promotion import find_judged_hash
from app.pages.compare.views import CompareForm, CompareView, ComparisonView, FlipsView, Way
from app.pages.pickers import recent_runs
from app.recipes.service import RecipesService
from app.runs.service import Runs
from audits.report.view import facts, title
from trueward.errors import NotFound
from trueward.wire.audit import Audit, AuditRequest, ReverifyAudit, Subject
from verifiers import registry

PAGE = 50
FLIPS_PAGE = 25
_EACH = 5
_RUNS = 50


def comparison_request(form: CompareForm) -> AuditRequest:
    """Raises :class:`InvalidRequest` with the fields that are wrong."""
    population = {name: value for name, value in (("run", form.run), ("split", form.split)) if value}
    spec: dict[str, Any] = {
        "kind": "reverify",
        "subject": subject_of(form.judge, form.version, form.params, form.threshold),
        "before": subject_of(form.before, form.before_version, form.before_params, ""),
        "population": population,
    }
    if form.limit:
        spec["limit"] = whole(form.limit, "limit")
    return request_of(spec, form.name)


async def compare_view(
    audits: AuditsService, recipes: RecipesService, runs: Runs, form: CompareForm, after: str | None
) -> CompareView:
    page = await audits.page(PageRange(after, PAGE), "reverify", None)
    return CompareView(
        comparisons=page.audits,
        next=None if page.next is None else f"/ui/compare?after={page.next}",
        open=any(not one.ended for one in page.audits),
        form=form,
        verifiers=list(registry.names()),
        recipes=[recipe.name for recipe in recipes.all()],
        runs=await recent_runs(runs),
    )


async def comparison_view(audits: AuditsService, runs: Runs, db: Database, audit: str) -> ComparisonView:
    """Raises :class:`NotFound`."""
    found = await comparison(audits, audit)
    assert isinstance(found.spec, ReverifyAudit)
    report = found.report
    recipe = await find_judged_hash(runs, found) if report is not None else None
    findings = {} if report is None else report.findings
    labels = findings.get("labels")
    return ComparisonView(
        id=found.id,
        title=title(found),
        before=_named(found.spec.before),
        after=_named(found.spec.subject),
        state=found.state,
        done=found.done,
        total=found.total,
        failure=found.failure,
        finished_at=found.finished_at,
        facts=list(facts(found)),
        level=found.spec.level,
        versions={} if report is None else report.versions,
        notes=[] if report is None else report.notes,
        counted=parse_flips(findings.get("flips")),
        labelled=parse_flips(labels.get("correctness")) if isinstance(labels, dict) else None,
        ways=[] if report is None else [await flips_of(db, found, way, 0, _EACH) for way in WAYS],
        figures=[] if report is None else report.figures,
        tables=[] if report is None else [one for one in report.tables if one.title != "Then and now"],
        recipe=recipe,
        runs=[] if recipe is None else await _pinned_elsewhere(runs, recipe),
    )


async def flips_view(audits: AuditsService, db: Database, audit: str, way: Way, start: int) -> FlipsView:
    """Raises :class:`NotFound`."""
    flips = await flips_of(db, await comparison(audits, audit), way, start, FLIPS_PAGE)
    following = start + FLIPS_PAGE
    return FlipsView(
        audit=audit, flips=flips, next=f"{flips.path}?start={following}" if following < flips.listed else None
    )


async def comparison(audits: AuditsService, audit: str) -> Audit:
    """Raises :class:`NotFound`, also for an audit of another kind."""
    found = await audits.show(audit)
    if found.spec.kind != "reverify":
        raise NotFound(f"audit {audit[:100]!r} is no comparison; /ui/audits/{audit[:100]} shows it")
    return found


def _named(subject: Subject) -> str:
    """With its parameters, which may be all that differs."""
    return f"{subject.name} {json.dumps(subject.params, ensure_ascii=False)}" if subject.params else subject.name


async def _pinned_elsewhere(runs: Runs, recipe: str) -> list[str]:
    recent = await runs.recent(_RUNS)
    return [run.id for run in recent if run.recipe not in (None, recipe) and not run.id.startswith(RUN)]
