"""What the page of a report says, as plain rows of text: the template only lays it out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from pydantic import JsonValue

from trueward.gate import deciding
from trueward.numerals import number, share
from trueward.wire.audit import (
    Audit,
    AuditReport,
    Cell,
    ConsensusAudit,
    Estimate,
    ExploitAudit,
    GivenSamples,
    LabelledAudit,
    MetamorphicAudit,
    Method,
    PluginAudit,
    Population,
    ReverifyAudit,
    Subject,
    Table,
)

MOST_ROWS = 500
_LONGEST_JSON = 20_000
METHODS: dict[Method, str] = {
    "wilson": "Wilson",
    "clopper_pearson": "Clopper-Pearson",
    "cluster_bootstrap": "cluster bootstrap",
    "horvitz_thompson": "weighted (Horvitz-Thompson)",
}
KINDS = {
    "labelled": "Labelled audit",
    "consensus": "Consensus audit",
    "metamorphic": "Metamorphic audit",
    "exploit": "Exploit audit",
    "bench": "Benchmark",
    "reverify": "Re-verification",
    "plugin": "Audit of a plug-in",
}


class Headline(NamedTuple):
    """One error rate by the estimate that a gate would go by. ``few`` says why it is a hint; empty where it is none."""

    name: str
    meaning: str
    rate: str
    interval: str
    counted: str
    method: str
    few: str


class RateRow(NamedTuple):
    rate: str
    method: str
    value: str
    interval: str
    counted: str
    note: str


def title(audit: Audit) -> str:
    return audit.name or f"{KINDS[audit.spec.kind]} of {subject_names(audit)}"


def subject_names(audit: Audit) -> str:
    return ", ".join(subject.name for subject in _subjects(audit))


def facts(audit: Audit) -> Iterator[tuple[str, str]]:
    """What was audited, when, against what; by name."""
    spec = audit.spec
    yield "what", f"{KINDS[spec.kind]} of {subject_names(audit)}"
    for subject in _subjects(audit):
        if settings := list(_settings(subject)):
            yield f"{subject.name}", ", ".join(settings)
    if isinstance(spec, LabelledAudit) and spec.against is not None:
        yield "against", f"{spec.against.name}, an imperfect reference"
    if isinstance(spec, ReverifyAudit):
        yield "before", spec.before.name
    if isinstance(spec, LabelledAudit | ConsensusAudit | ReverifyAudit):
        yield "of the ledger", _chosen(spec.population)
    if isinstance(spec, PluginAudit):
        yield "plug-in", spec.plugin
    if isinstance(spec, MetamorphicAudit | ExploitAudit):
        yield "samples", _describe_samples(spec.given)
    yield "level", f"{share(spec.level)} intervals"
    yield "asked for", _moment(audit.created_at)
    if audit.finished_at is not None:
        yield "finished", _moment(audit.finished_at)
    yield "id", audit.id


def headlines(audit: Audit, report: AuditReport) -> list[Headline]:
    """The rates that the audit has, false positives first."""
    asked = [
        ("False positives", "truly wrong responses were accepted", report.false_positives),
        ("False negatives", "truly right responses were rejected", report.false_negatives),
    ]
    found = []
    for name, meaning, estimates in asked:
        best = deciding(estimates, "upper")
        if best is not None and best.rate is not None:
            found.append(
                Headline(
                    name,
                    meaning,
                    share(best.rate),
                    f"{share(audit.spec.level)} interval: {_interval(best)}",
                    _counted(best),
                    METHODS[best.method],
                    explain_few(estimates),
                )
            )
    return found


def explain_few(estimates: Sequence[Estimate]) -> str:
    """Why the items behind a rate are too few to be sure of its interval, by whichever method says so."""
    notes = [part for estimate in estimates for part in estimate.note.split("; ") if part.startswith("too few")]
    return notes[0] if notes else ""


def rate_rows(report: AuditReport) -> list[RateRow]:
    """Each rate by each method."""
    return [
        RateRow(
            name,
            METHODS[estimate.method],
            "\u2013" if estimate.rate is None else share(estimate.rate),
            _interval(estimate),
            _counted(estimate),
            estimate.note,
        )
        for name, estimates in (("false positive", report.false_positives), ("false negative", report.false_negatives))
        for estimate in estimates
    ]


def table_rows(table: Table) -> list[list[tuple[str, bool]]]:
    """At most 500 rows of texts, each with whether it is a number."""
    in_percent = [column in table.shares for column in table.columns]
    return [
        [_cell(cell, column < len(in_percent) and in_percent[column]) for column, cell in enumerate(row)]
        for row in table.rows[:MOST_ROWS]
    ]


def numeric(rows: Sequence[Sequence[tuple[str, bool]]], column: int) -> bool:
    """Whether a column has numbers alone."""
    return bool(rows) and all(row[column][1] for row in rows if column < len(row))


def format_spec(audit: Audit) -> str:
    """The specification, with the number of samples or rows instead of themselves."""
    spec = audit.spec.model_dump(mode="json", exclude_none=True)
    given = spec.get("given")
    for holder, name in ((given, "samples"), (spec, "rows")):
        if isinstance(holder, dict) and isinstance(holder.get(name), list):
            holder[name] = f"{len(holder[name])} given"
    return _json(spec)


def findings_json(report: AuditReport) -> str:
    return _json(report.findings)


def _json(value: Mapping[str, JsonValue]) -> str:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text if len(text) <= _LONGEST_JSON else f"{text[:_LONGEST_JSON]}\n... the rest is in the JSON report"


def _subjects(audit: Audit) -> Sequence[Subject]:
    return audit.spec.subjects if isinstance(audit.spec, ConsensusAudit) else [audit.spec.subject]


def _settings(subject: Subject) -> Iterator[str]:
    if subject.params:
        yield f"parameters {json.dumps(subject.params, ensure_ascii=False)}"
    if subject.threshold is not None:
        yield f"accepts from {subject.threshold:g}"


def _chosen(population: Population) -> str:
    named = population.model_dump(mode="json", exclude_none=True)
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in named.items()) or "all records"


def _describe_samples(given: GivenSamples) -> str:
    if given.samples is not None:
        return f"{len(given.samples):,} given"
    return f"at most {given.limit:,} of the ledger: {_chosen(given.population or Population())}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _interval(estimate: Estimate) -> str:
    if estimate.interval is None:
        return "\u2013"
    low, high = estimate.interval
    return f"{share(low)} to {share(high)}"


def _counted(estimate: Estimate) -> str:
    return f"{number(estimate.errors)} of {number(estimate.items)}"


def _cell(cell: Cell, in_percent: bool) -> tuple[str, bool]:
    if cell is None:
        return "\u2013", True
    if isinstance(cell, str):
        return cell, False
    return share(cell) if in_percent else number(cell), True
