"""Stored samples judged again: what changed, and whether that was for the better."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import numpy as np
from pydantic import JsonValue

from audits.absent import describe_absence
from audits.labelled.truth import Truth
from audits.ports import Work
from audits.reverify.again import judge_again
from audits.reverify.comparison import Compared, as_records, compare_verdicts
from audits.reverify.correctness import correctness, correctness_table
from audits.reverify.examples import examples
from audits.reverify.flips import LISTED, examples_of, flip_figure, flip_findings, flip_tables
from audits.reverify.scores import jitter, score_findings, score_table
from audits.reverify.stored_verdicts import ChosenUnits, Stored
from audits.statistics.arrays import Floats
from audits.subject_verdict import AT_ONCE, Judged
from rewards.recipe import Recipe
from rewards.term import Schedule
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, ReverifyAudit, Subject
from trueward.wire.verifier import GROUP_VERIFIERS

_EACH = 10
_REASONS = 5


async def reverify(spec: ReverifyAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` where the population has nothing that ``before`` judged."""
    if spec.before.threshold is None:
        spec = spec.model_copy(update={"before": _with_line(spec.before, spec.subject)})
    recipe = work.judging.recipe(spec.subject)
    found = await work.ledger.load_verdicts(spec.before, spec.population, spec.limit, grouped=_grouped(spec, recipe))
    if not found.units:
        raise InvalidRequest(await describe_absence(work.ledger, spec.before))
    then = [row for unit in found.units for row in unit]
    truth, notes = await _truth(spec, work, then)
    now = await judge_again(work, spec.subject, found.units)
    both = await asyncio.to_thread(compare_verdicts, then, now)
    shown = await examples(work.ledger, spec.before, both, examples_of(both, _EACH))
    notes = [*_notes(spec, recipe, found, both), *notes, *await work.ledger.model_changes(spec.population)]
    return await asyncio.to_thread(_report, spec, work.id, recipe, found, both, truth, shown, notes)


def _with_line(before: Subject, subject: Subject) -> Subject:
    return before.model_copy(update={"threshold": subject.threshold})


def _grouped(spec: ReverifyAudit, recipe: Recipe | None) -> bool:
    """Whether what is said of a sample depends on those beside it."""
    if recipe is not None:
        return recipe.needs_group or recipe.judges_groups or bool(recipe.group.rules) or recipe.missing != "null"
    return bool({spec.subject.verifier, spec.before.verifier} & GROUP_VERIFIERS)


async def _truth(spec: ReverifyAudit, work: Work, then: Sequence[Stored]) -> tuple[Truth | None, list[str]]:
    """What labels say of these samples; None, and why, where they cannot be used together."""
    try:
        truth = await work.ledger.truth_of_labels(spec.labels, as_records(then))
    except InvalidRequest as refusal:
        return None, [f"labels were not used: {refusal.detail}"]
    return truth, truth.notes


def _report(
    spec: ReverifyAudit,
    audit: str,
    recipe: Recipe | None,
    chosen: ChosenUnits,
    found: Compared,
    truth: Truth | None,
    shown: list[JsonValue],
    notes: list[str],
) -> AuditReport:
    of_flips, of_scores = flip_findings(found, spec), score_findings(found)
    findings: dict[str, JsonValue] = {
        "run": f"audit:{audit}",
        "records": chosen.records,
        "samples": len(found.then),
        "left_out": chosen.older,
        **of_flips,
        "scores": of_scores,
        "examples": shown,
    }
    tables = [*flip_tables(of_flips, found), score_table(of_scores)]
    if recipe is not None:
        firm, why = jitter(found, recipe, spec.seed)
        findings["weight_jitter"] = None if firm is None else dict(firm._asdict())
        notes = [*notes, why]
    if truth is not None and (labelled := correctness(found, truth)):
        findings["labels"] = labelled
        tables.append(correctness_table(labelled))
    origins = {} if truth is None else truth.origins
    return AuditReport(findings=findings, origins=origins, tables=tables, figures=[flip_figure(found)], notes=notes)


def _without_score(when: str, said: Sequence[Stored | Judged], scores: Floats) -> list[str]:
    """Why scores are missing, the commonest reasons first."""
    reasons = Counter(one.reason_code for one, score in zip(said, scores, strict=True) if np.isnan(score))
    if not reasons:
        return []
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(_REASONS))
    return [f"{when} {reasons.total()} of {len(said)} samples had no score: {told}"]


def _notes(spec: ReverifyAudit, recipe: Recipe | None, chosen: ChosenUnits, found: Compared) -> list[str]:
    notes = []
    if chosen.older:
        notes.append(f"the limit of {spec.limit} leaves out {chosen.older} older samples")
    if (large := sum(len(unit) > AT_ONCE for unit in chosen.units)) and _grouped(spec, recipe):
        notes.append(f"{large} groups have more than {AT_ONCE} members: they were judged in parts")
    notes += _without_score("then", found.then, found.score_before)
    notes += _without_score("now", found.now, found.score_after)
    if found.scored.any() and not found.both.any():
        notes.append("no sample has a verdict both times: scores without a pass line need a threshold, then and now")
    if (flipped := int(np.count_nonzero(found.flipped))) > LISTED:
        notes.append(f"{flipped} samples flipped; {LISTED} of them are listed")
    if recipe is not None and recipe.learns:
        notes.append("the recipe learns while it runs: judged again it starts without what the run had learned")
    if recipe is not None and any(
        isinstance(t.weight, Schedule) for course in recipe.all_courses for t in course.terms
    ):
        notes.append("weights that depend on the step are those of the first step")
    return notes
