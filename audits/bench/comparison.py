"""The report of a benchmark in which scores are compared: measures by domain and split, and the worst rows."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue

from audits.bench.accuracy import Accuracy, Measures, accuracy, drop, section_weighted
from audits.bench.case import BenchCase, CaseMeasures, Format, Scores
from audits.bench.rows import list_unread_fields
from audits.bench.subject_scores import SubjectScores, score_cases
from audits.cells import cells
from audits.ports import Work
from audits.statistics.proportion import Interval
from audits.subject_verdict import format_reasons
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, BenchAudit, Cell, Figure, FigureLine, Table

WORST = 20
CUT = 500
_Means = dict[str, Accuracy]


class DomainPoint(NamedTuple):
    """A domain's rate."""

    name: str
    rate: float | None
    interval: Interval | None


def bars(measure: str, points: Sequence[DomainPoint]) -> Figure:
    """One bar a point, in order."""
    lines = []
    for place, (name, rate, interval) in enumerate(points):
        low, high = interval or (None, None)
        lines.append(FigureLine(name=name, x=[float(place)], y=[rate], low=[low], high=[high]))
    return Figure(kind="bars", title=f"{measure} by domain", x="domain", y=measure, lines=lines)


async def comparison(spec: BenchAudit, work: Work, form: Format) -> AuditReport:
    """Raises :class:`InvalidRequest` for rows of another form, and where no row could be scored."""
    cases = await asyncio.to_thread(form.cases, spec.rows)
    said = await score_cases(work, spec.subject, cases)
    if not any(said.scores):
        raise InvalidRequest(
            f"{spec.subject.name} could not score any of the {len(cases)} rows: {format_reasons(said.missing)}"
        )
    return await asyncio.to_thread(_report, spec, form, cases, said)


class _Case(NamedTuple):
    case: BenchCase
    scores: Scores
    measured: CaseMeasures


class _Sections(NamedTuple):
    """The means of each measure: by domain, and of all rows with the same weight for each row, or for each domain."""

    domains: dict[str, _Means]
    by_example: _Means
    by_section: _Means

    @property
    def named(self) -> list[tuple[str, _Means]]:
        overall = [("all, by example", self.by_example), ("all, by section", self.by_section)]
        return [*self.domains.items(), *(overall if len(self.domains) > 1 else overall[:1])]


def _report(spec: BenchAudit, form: Format, cases: Sequence[BenchCase], said: SubjectScores) -> AuditReport:
    known = [
        _Case(case, scores, form.measure(scores))
        for case, scores in zip(cases, said.scores, strict=True)
        if scores is not None
    ]
    measures = Measures(
        {name: np.array([one.measured.values[name] for one in known]) for name in form.meaning},
        [one.case.domain for one in known],
        [one.case.prompt for one in known],
        [one.case.split for one in known],
    )
    lost = Counter(case.domain for case, scores in zip(cases, said.scores, strict=True) if scores is None)
    sections = _sections(measures, spec)
    main = next(iter(form.meaning))
    splits = split_rows(measures, spec, main)
    tables = [_table(sections, lost, form.meaning), *split_table(splits)]
    tables += form.whole([one.scores for one in known]) if form.whole else []
    findings: dict[str, JsonValue] = {
        "format": spec.format,
        "rows": len(cases),
        "scored": len(known),
        "missing": {"rows": len(cases) - len(known), "by_reason": dict(said.missing)},
        "by_example": _plain(sections.by_example),
        "by_section": _plain(sections.by_section),
        "domains": {name: _plain(of) for name, of in sections.domains.items()},
        "splits": splits,
        "worst": [_describe_case(one) for one in sorted(known, key=lambda one: one.measured.margin)[:WORST]],
        "all_scores_equal": said.constant,
    }
    return AuditReport(
        findings=findings,
        origins={"benchmark": len(cases)},
        tables=tables,
        figures=[bars(main, [DomainPoint(name, of[main].rate, of[main].interval) for name, of in sections.named])],
        notes=_notes(spec, form, said),
    )


def _sections(measures: Measures, spec: BenchAudit) -> _Sections:
    names = sorted(set(measures.domains))
    parts = {name: measures.select(np.array([domain == name for domain in measures.domains])) for name in names}
    by_section = {
        key: section_weighted(values, measures.domains, measures.prompts, spec.level, spec.seed)
        for key, values in measures.values.items()
    }
    return _Sections({name: _all(part, spec) for name, part in parts.items()}, _all(measures, spec), by_section)


def _all(measures: Measures, spec: BenchAudit) -> _Means:
    return {name: accuracy(values, measures.prompts, spec.level, spec.seed) for name, values in measures.values.items()}


def _plain(means: _Means) -> dict[str, JsonValue]:
    return {name: one.to_json() for name, one in means.items()}


def split_rows(measures: Measures, spec: BenchAudit, main: str) -> list[JsonValue]:
    """The main measure by split, where rows name more than one, and its drop against the first row's split."""
    names = list(dict.fromkeys(measures.splits))
    if len(names) < 2:
        return []
    parts = {name: measures.select(np.array([split == name for split in measures.splits])) for name in names}
    base = parts[names[0]].values[main]
    found: list[JsonValue] = []
    for name, part in parts.items():
        row = {"split": "(none)" if name is None else name, **_all(part, spec)[main].to_json()}
        if name != names[0]:
            fall, interval = drop(base, part.values[main], spec.level)
            row |= {"drop": fall, "drop_interval": list(interval)}
        found.append(row)
    return found


def split_table(splits: Sequence[JsonValue]) -> list[Table]:
    """For people; nothing where there is one split."""
    columns = ["split", "rows", "rate", "drop"]
    rows = [cells(split, *columns) for split in splits]
    note = "The drop is against the first split."
    return (
        [Table(title="Shifted splits", columns=columns, rows=rows, shares=["rate", "drop"], note=note)] if rows else []
    )


def _table(sections: _Sections, lost: Mapping[str, int], meaning: Mapping[str, str]) -> Table:
    main, *others = meaning
    rows: list[list[Cell]] = []
    for name, of in sections.named:
        low, high = of[main].interval or (None, None)
        gone = lost.get(name, 0) if name in sections.domains else sum(lost.values())
        rows.append([name, of[main].rows, gone, of[main].rate, low, high, *(of[key].rate for key in others)])
    rows += [
        [name, 0, gone, *[None] * (len(meaning) + 2)] for name, gone in lost.items() if name not in sections.domains
    ]
    shares = [main, "low", "high", *others]
    note = " ".join(f"{name}: {what}." for name, what in meaning.items())
    return Table(
        title="By domain", columns=["domain", "scored", "missing", *shares], rows=rows, shares=shares, note=note
    )


def _describe_case(one: _Case) -> JsonValue:
    return {
        "row": one.case.place + 1,
        "id": one.case.id[:CUT],
        "domain": one.case.domain,
        "prompt": one.case.prompt[:CUT],
        "margin": one.measured.margin,
        "scores": [list(part) for part in one.scores],
    }


def _notes(spec: BenchAudit, form: Format, said: SubjectScores) -> list[str]:
    notes = []
    if said.missing:
        notes.append(
            f"{said.missing.total()} rows could not be scored, and are in no rate, neither as won nor as lost: "
            + format_reasons(said.missing)
        )
    if said.constant:
        notes.append("the subject gave every response the same score: it tells nothing apart")
    if said.invalid:
        notes.append(f"{said.invalid} responses are invalid to the subject: they count as scored lowest of all")
    if names := list_unread_fields(form.row, spec.rows):
        notes.append(f"fields that this format does not read: {', '.join(names)}")
    return notes
