"""Stored samples judged again: what changed, and whether that was for the better."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import JsonValue

from audits.absent import describe_absence
from audits.cells import cells
from audits.labelled.truth import Truth
from audits.ports import Ledger, Work
from audits.reverify.again import judge_again
from audits.reverify.comparison import Compared, as_records, compare_verdicts
from audits.reverify.flips import LISTED, examples_of, flip_figure, flip_findings, flip_tables
from audits.reverify.scores import jitter, score_findings, score_table
from audits.reverify.stored_verdicts import ChosenUnits, Stored
from audits.statistics.arrays import Floats
from audits.statistics.confusion import Confusion, confusion
from audits.statistics.mcnemar import flips
from audits.subject_verdict import AT_ONCE, Judged
from rewards.recipe import Recipe
from rewards.term import Schedule
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, Cell, ReverifyAudit, Subject, Table
from trueward.wire.sample import Sample
from trueward.wire.verifier import GROUP_VERIFIERS

_EACH = 10
_REASONS = 5
_NAMES = ("false_positive_rate", "false_negative_rate", "accuracy")
_CUT = 500


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


def correctness(found: Compared, truth: Truth) -> dict[str, JsonValue]:
    """``labelled`` samples, how many of the flips are among them, the confusion then and now, and McNemar's test of
    whether more became right (``gained``) than wrong (``lost``). Empty where nothing is labelled."""
    known = ~np.isnan(truth.right)
    if not known.any():
        return {}
    right, before, after = truth.right[known], found.before[known], found.after[known]
    counted = flips(_correct(right, before), _correct(right, after))
    return {
        "labelled": int(known.sum()),
        "labelled_flips": int((known & found.flipped).sum()),
        "flips": int(found.flipped.sum()),
        "before": _plain(confusion(right, before)),
        "after": _plain(confusion(right, after)),
        "correctness": dict(counted._asdict()),
    }


def correctness_table(findings: dict[str, JsonValue]) -> Table:
    rows: list[list[Cell]] = [[when, *cells(findings[when], *_NAMES)] for when in ("before", "after")]
    note = "Of the labelled samples, which may not be like the others: people label flips first."
    return Table(title="Against labels", columns=["when", *_NAMES], rows=rows, shares=list(_NAMES), note=note)


def _correct(right: Floats, said: Floats) -> Floats:
    """1 where the verdict is that of the label, NaN where there is no verdict."""
    correct: Floats = np.where(np.isnan(said), np.nan, right == said)
    return correct


def _plain(counts: Confusion) -> dict[str, JsonValue]:
    rates: dict[str, JsonValue] = {name: getattr(counts, name) for name in _NAMES}
    return {**counts._asdict(), **rates}


async def examples(ledger: Ledger, before: Subject, found: Compared, places: Sequence[int]) -> list[JsonValue]:
    """One entry a place: records, reasons, scores, and prompt, response and reference cut to 500 characters."""
    texts = await ledger.contents([found.then[place].sample for place in places])
    reasons = await ledger.reasons(before, [found.then[place].record for place in places])
    return await asyncio.to_thread(lambda: [_example(found, place, texts, reasons) for place in places])


def _example(found: Compared, place: int, texts: Mapping[str, str], reasons: Mapping[str, str]) -> JsonValue:
    then, now = found.then[place], found.now[place]
    sample = Sample.model_validate(json.loads(texts[then.sample]))
    shown = {"prompt": sample.prompt_text, "response": sample.response_text, "reference": json.dumps(sample.reference)}
    return {
        "now": "accepted" if now.accepted else "rejected",
        "data_source": then.data_source,
        "before": {
            "record": then.record,
            "score": then.score,
            "reason_code": then.reason_code,
            "reason": reasons[then.record][:_CUT],
        },
        "after": {
            "record": now.record,
            "score": now.score,
            "reason_code": now.reason_code,
            "reason": now.reason[:_CUT],
        },
        **{name: text[:_CUT] for name, text in shown.items()},
    }
