"""``first_error``: does a process verifier find the first wrong step, and leave flawless solutions alone?

ProcessBench (arXiv 2412.06559). The verifier gets the steps as the sample's ``metadata.steps`` (the response is the
steps, joined by blank lines) and answers in its verdict's evidence: ``first_error``, the index of the first wrong step
or -1, or ``steps``, one probability of being right a step, of which the first below 0.5 is the prediction. What can be
read as neither is wrong by ProcessBench's rule, and counted apart; a missing score (an outage, say) is not.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from pydantic import Field, JsonValue, StrictInt, StrictStr, model_validator

from audits.bench.comparison import CUT, WORST, DomainPoint, bars
from audits.bench.rows import PromptRow, list_unread_fields, read
from audits.bench.subject_scores import judge_groups
from audits.ports import Work
from audits.statistics.arrays import Floats
from audits.statistics.clusters import bootstrap_intervals, cluster_totals
from audits.statistics.first_error import FLAWLESS, FirstError, first_below, first_error
from audits.statistics.proportion import Interval
from audits.subject_verdict import Judged, format_reasons
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, BenchAudit, Cell, Table
from trueward.wire.sample import Sample


class FirstErrorRow(PromptRow):
    """``{prompt, steps, label, domain?, ...}``; ``label`` is the index of the first wrong step, from 0, or -1."""

    steps: list[StrictStr] = Field(min_length=1)
    label: StrictInt = Field(ge=FLAWLESS)

    @model_validator(mode="after")
    def _label_is_a_step(self) -> Self:
        if self.label >= len(self.steps):
            raise ValueError(f"label {self.label} is no step: there are {len(self.steps)}, counted from 0")
        return self

    def to_sample(self, place: int) -> Sample:
        sample = self.sample(self.prompt, "\n\n".join(self.steps), steps=list(self.steps))
        return sample.model_copy(update={"group": f"row {place + 1}"})


class _Case(NamedTuple):
    place: int
    row: FirstErrorRow
    said: int | None

    @property
    def right(self) -> bool:
        return self.said == self.row.label


async def first_error_report(spec: BenchAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` for a recipe, for rows of another form, and where no row has a verdict."""
    if spec.subject.verifier is None:
        raise InvalidRequest("first_error asks a verifier that judges steps: a recipe's reward says nothing of them")
    rows = await asyncio.to_thread(read, FirstErrorRow, spec.rows)
    judged = await judge_groups(work, spec.subject, [[row.to_sample(place)] for place, row in enumerate(rows)])
    return await asyncio.to_thread(_report, spec, rows, [one for [one] in judged])


def read_prediction(judged: Judged, steps: int) -> int | None:
    """What the verdict says is the first wrong step, -1 for none, or None where that cannot be read."""
    index = judged.evidence.get("first_error")
    if isinstance(index, int) and not isinstance(index, bool):
        return index if FLAWLESS <= index < steps else None
    scores = judged.evidence.get("steps")
    if not isinstance(scores, list) or len(scores) != steps:
        return None
    values = [one for one in scores if isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1]
    return first_below(values) if len(values) == steps else None


def _report(spec: BenchAudit, rows: Sequence[FirstErrorRow], judged: Sequence[Judged]) -> AuditReport:
    missing = Counter(one.reason_code for one in judged if one.outcome.missing)
    cases = [
        _Case(place, row, read_prediction(one, len(row.steps)))
        for place, (row, one) in enumerate(zip(rows, judged, strict=True))
        if not one.outcome.missing
    ]
    if not cases:
        raise InvalidRequest(
            f"{spec.subject.name} gave no verdict on any of the {len(rows)} rows: {format_reasons(missing)}"
        )
    domains = {name: [case for case in cases if case.row.domain == name] for name in sorted({r.domain for r in rows})}
    found = {name: _Section.of(of, spec) for name, of in domains.items()}
    overall = _Section.of(cases, spec)
    known = [section.f1 for section in found.values() if section.f1 is not None]
    unparsed = sum(case.said is None for case in cases)
    named = [*found.items(), ("all, by example", overall)]
    mean = sum(known) / len(known) if known else None
    findings: dict[str, JsonValue] = {
        "format": spec.format,
        "rows": len(rows),
        "scored": len(cases),
        "missing": {"rows": missing.total(), "by_reason": dict(missing)},
        "unparsed": unparsed,
        "by_example": overall.to_json(),
        "by_section": {"f1": mean, "sections": len(known)},
        "domains": {name: section.to_json() for name, section in found.items()},
        "worst": [_describe_case(case) for case in sorted(cases, key=_badness) if not case.right][:WORST],
    }
    return AuditReport(
        findings=findings,
        origins={"benchmark": len(rows)},
        tables=[_table(named, mean)],
        figures=[bars("F1", [DomainPoint(name, section.f1, section.interval) for name, section in named])],
        notes=_notes(spec, len(cases), missing, unparsed),
    )


class _Section(NamedTuple):
    """Both accuracies of some rows, their F1 with its interval, and how many predictions could not be read."""

    found: FirstError
    interval: Interval | None
    unparsed: int

    @classmethod
    def of(cls, cases: Sequence[_Case], spec: BenchAudit) -> _Section:
        found = first_error([case.row.label for case in cases], [case.said for case in cases], spec.level)
        interval = None
        if cases:
            wrong = np.array([case.row.label != FLAWLESS for case in cases], dtype=np.float64)
            hit = np.array([case.right for case in cases], dtype=np.float64)
            columns = np.stack([hit * wrong, wrong, hit * (1 - wrong), 1 - wrong], axis=1)
            totals = cluster_totals(columns, [_prompt(case.row) for case in cases])
            interval = bootstrap_intervals(totals, {"f1": _f1}, level=spec.level, seed=spec.seed)["f1"]
        return cls(found, interval, sum(case.said is None for case in cases))

    @property
    def f1(self) -> float | None:
        return self.found.f1

    def to_json(self) -> dict[str, JsonValue]:
        shares: dict[str, JsonValue] = {
            name: {"rate": share.rate, "interval": list(share.wilson), "rows": share.trials}
            for name, share in (("erroneous", self.found.erroneous), ("flawless", self.found.flawless))
        }
        interval: JsonValue = None if self.interval is None else list(self.interval)
        return {"f1": self.f1, "interval": interval, "unparsed": self.unparsed, **shares}


def _f1(totals: Floats) -> Floats:
    """From B x 4 totals: errors found and all, flawless ones spared and all. NaN without one of the kinds."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found, spared = totals[:, 0] / totals[:, 1], totals[:, 2] / totals[:, 3]
        f1: Floats = np.where(found + spared == 0, 0.0, 2 * found * spared / (found + spared))
    return f1


def _prompt(row: FirstErrorRow) -> str:
    return Sample(prompt=row.prompt).prompt_text


def _badness(case: _Case) -> tuple[bool, int]:
    """Errors that were overlooked first: they are what a policy learns to make."""
    return (case.said != FLAWLESS, case.place)


def _describe_case(case: _Case) -> JsonValue:
    return {
        "row": case.place + 1,
        "id": str(case.place + 1 if case.row.id is None else case.row.id)[:CUT],
        "domain": case.row.domain,
        "prompt": _prompt(case.row)[:CUT],
        "label": case.row.label,
        "predicted": case.said,
        "step": case.row.steps[case.row.label][:CUT] if case.row.label != FLAWLESS else None,
    }


def _table(named: Sequence[tuple[str, _Section]], mean: float | None) -> Table:
    rows: list[list[Cell]] = []
    for name, section in named:
        low, high = section.interval or (None, None)
        both = section.found
        counts = [both.erroneous.trials, both.flawless.trials, section.unparsed]
        rows.append([name, *counts, section.f1, low, high, both.erroneous.rate, both.flawless.rate])
    rows.append(["all, by section", None, None, None, mean, None, None, None, None])
    shares = ["F1", "low", "high", "first error found", "flawless left alone"]
    columns = ["domain", "erroneous", "flawless", "unparsed", *shares]
    note = "F1 is the harmonic mean of the last two columns. A prediction that cannot be read is wrong."
    return Table(title="First error by domain", columns=columns, rows=rows, shares=shares, note=note)


def _notes(spec: BenchAudit, verdicts: int, missing: Counter[str], unparsed: int) -> list[str]:
    notes = []
    if missing:
        notes.append(f"{missing.total()} rows have no verdict, and are in no rate: {format_reasons(missing)}")
    if unparsed == verdicts:
        notes.append(
            "no verdict says anything of steps: its evidence has neither first_error nor a score for each step"
        )
    elif unparsed:
        notes.append(f"{unparsed} verdicts do not say which step is the first wrong one: they count as wrong")
    if names := list_unread_fields(FirstErrorRow, spec.rows):
        notes.append(f"fields that this format does not read: {', '.join(names)}")
    return notes
