"""The pages of comparisons, put together from re-verifications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import JsonValue

from app.audits.population import RUN
from app.audits.samples import Shown, show_records
from app.audits.service import AuditsService
from app.kit.db import Database
from app.kit.paging import PageRange
from app.pages.audits.form import request_of, subject_of, whole
from app.pages.compare.promotion import find_judged_hash
from app.pages.compare.views import (
    CompareForm,
    CompareView,
    ComparisonView,
    FlipCounts,
    FlipList,
    FlippedSample,
    FlipsView,
    Way,
)
from app.pages.pickers import recent_runs
from app.pages.sample.view import describe_record
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
WAYS: tuple[Way, ...] = ("gained", "lost")
_NOW: dict[Way, str] = {"gained": "accepted", "lost": "rejected"}
TITLES: dict[Way, str] = {"gained": "Rejected before, accepted now", "lost": "Accepted before, rejected now"}


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


class RecordPair(NamedTuple):
    """Records of one sample, then and now."""

    before: str
    after: str


def parse_flips(found: JsonValue) -> FlipCounts | None:
    """From an entry of the findings; None where there is none."""
    if not isinstance(found, dict):
        return None
    change = found.get("change")
    changed = change if isinstance(change, dict) else {}
    names = ("gained", "lost", "items", "exact", "mid")
    return FlipCounts.model_validate(
        {
            **{name: found[name] for name in names},
            "change": changed.get("value"),
            "interval": changed.get("interval"),
            "note": changed.get("note", ""),
        }
    )


def pairs(audit: Audit, way: Way) -> list[RecordPair]:
    """Those that the report lists. Raises :class:`NotFound` for an audit that compares nothing."""
    listed = None if audit.report is None else audit.report.findings.get("flipped")
    if not isinstance(listed, list):
        raise NotFound(f"audit {audit.id} has no flips: it is no re-verification, or not done")
    return [
        RecordPair(str(one["before"]), str(one["after"]))
        for one in listed
        if isinstance(one, dict) and one.get("now") == _NOW[way]
    ]


async def flips_of(db: Database, audit: Audit, way: Way, start: int, size: int) -> FlipList:
    """``size`` of the flips one way, from the place ``start`` in the report, which is final."""
    assert isinstance(audit.spec, ReverifyAudit)
    listed = pairs(audit, way)
    page = listed[start : start + size]
    rewards = audit.spec.subject.recipe is not None
    shown = await show_records(db, [record for pair in page for record in pair], rewards=rewards)
    found = parse_flips(audit.report.findings.get("flips")) if audit.report is not None else None
    return FlipList(
        way=way,
        title=TITLES[way],
        count=len(listed) if found is None else getattr(found, way),
        listed=len(listed),
        path=f"/ui/compare/{audit.id}/flips/{way}",
        flips=await asyncio.to_thread(lambda: [_flip(pair, shown) for pair in page]),
    )


def _flip(pair: RecordPair, shown: Mapping[str, Shown]) -> FlippedSample:
    before, after = shown.get(pair.before), shown.get(pair.after)
    newest = after or before
    told = None if newest is None else describe_record(newest)
    return FlippedSample(before_record=pair.before, after_record=pair.after, before=before, after=after, told=told)
