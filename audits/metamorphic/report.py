"""What a metamorphic audit says: error rates by transformation, the worst examples, the tests that mutants survive."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from audits.estimates import of_counts, of_groups
from audits.given_samples import tasks_in
from audits.metamorphic.mutants import MUTANTS
from audits.metamorphic.survivors import JudgedVariant, Survivors, surviving
from audits.metamorphic.transformation import Transformation
from audits.subject_verdict import Judged
from trueward.wire.audit import AuditReport, Cell, Estimate, Figure, FigureLine, Interval, Table
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

_UNCHANGED = "unchanged"
_SHOWN = 50
_CAUSES = 3
_LONGEST = 500
_KINDS = {
    "keeps": "Rewrites that keep the meaning: an error is a false negative",
    "breaks": "Mutations that break it: an error is a false positive",
}
_COLUMNS = ["transformation", "tried", "accepted", "rejected", "invalid", "no verdict", "error rate"]
_COLUMNS += ["Wilson low", "Wilson high", "Clopper-Pearson low", "Clopper-Pearson high"]
_EXAMPLE = ("transformation", "reference", "response", "outcome", "reason_code", "reason", "record")
Example = dict[str, str | None]
_NOTE = (
    "These are rates over transformations of references, not over a policy's answers: they show what the subject gets "
    "wrong, not how often it does so in a run, and recipes do not correct with them."
)
_NO_VERDICT = (
    "{count} of {total} responses got no verdict ({causes}) and count neither way; scores without a pass line need a "
    "threshold."
)
_EQUIVALENT = (
    "A surviving mutant is a question, not a proof: some mutants do what the program did, and no test can kill those. "
    "Read each one's line; the false positives are at most what is stated."
)


@dataclass(slots=True)
class TransformationRow:
    """One transformation's counts; ``rejected`` are those that were judged and not accepted, without the invalid."""

    transformation: Transformation
    tried: int = 0
    accepted: int = 0
    rejected: int = 0
    invalid: int = 0
    no_verdict: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    estimates: list[Estimate] = field(default_factory=list)

    @property
    def judged(self) -> int:
        return self.tried - self.no_verdict

    @property
    def errors(self) -> int:
        return self.accepted if self.transformation.breaks else self.rejected + self.invalid

    def count(self, judged: Judged) -> None:
        self.tried += 1
        if judged.accepted is None:
            self.no_verdict += 1
            self.causes[f"{judged.outcome.value}: {judged.reason_code}"] += 1
        elif judged.accepted:
            self.accepted += 1
        elif judged.outcome is Outcome.INVALID:
            self.invalid += 1
        else:
            self.rejected += 1


def report(samples: Sequence[Sample], tried: Sequence[JudgedVariant], left_out: int, level: float) -> AuditReport:
    """``samples`` are all that there were; ``left_out`` of them have a program that does not pass its own tests."""
    rows = _rows(tried, level)
    worst = _worst(rows, tried)
    survivors = surviving(samples, tried)[:_SHOWN]
    tasks = tasks_in(samples)
    findings: dict[str, JsonValue] = {
        "samples": len({each.variant.place for each in tried}),
        "left_out": left_out,
        "tried": len(tried),
        "no_verdict": sum(row.no_verdict for row in rows),
        "transformations": [_finding(row) for row in rows],
        "worst": [dict(each) for each in worst],
        "survivors": [each.finding() for each in survivors],
    }
    return AuditReport(
        findings=findings,
        false_positives=_overall(tried, True, tasks, level),
        false_negatives=_overall(tried, False, tasks, level),
        tables=_tables(rows, worst, survivors),
        figures=[_figure(kind, rows) for kind in _KINDS if any(row.judged for row in _of_kind(rows, kind))],
        notes=_notes(rows, left_out),
    )


def _rows(tried: Iterable[JudgedVariant], level: float) -> list[TransformationRow]:
    """The reference as it is, then rewrites, then mutations; each by their error rate, the worst first."""
    rows: dict[str, TransformationRow] = {}
    for each in tried:
        transformation = each.variant.transformation
        rows.setdefault(transformation.name, TransformationRow(transformation)).count(each.judged)
    for row in rows.values():
        row.estimates = of_counts(row.errors, row.judged, level)
    return sorted(rows.values(), key=_order)


def _order(row: TransformationRow) -> tuple[bool, bool, float]:
    transformation = row.transformation
    return transformation.breaks, transformation.name != _UNCHANGED, -(row.estimates[0].rate or 0.0)


def _overall(tried: Sequence[JudgedVariant], breaks: bool, tasks: Sequence[int], level: float) -> list[Estimate]:
    """Variants of one task share its reference, so they are a cluster."""
    counted = [each for each in tried if each.breaks == breaks and each.wrong is not None]
    return of_groups([bool(each.wrong) for each in counted], [tasks[each.variant.place] for each in counted], level)


def _finding(row: TransformationRow) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {
        "transformation": row.transformation.name,
        "kind": row.transformation.kind,
        "tried": row.tried,
        "accepted": row.accepted,
        "rejected": row.rejected,
        "invalid": row.invalid,
        "no_verdict": row.no_verdict,
        "rate": row.estimates[0].rate,
    }
    return found | {each.method: _ends(each.interval) for each in row.estimates}


def _ends(interval: Interval | None) -> list[JsonValue] | None:
    return None if interval is None else [*interval]


def _worst(rows: Sequence[TransformationRow], tried: Sequence[JudgedVariant]) -> list[Example]:
    """Examples of errors, one of each transformation in turn, so that no frequent one hides the others."""
    by_name: dict[str, list[JudgedVariant]] = defaultdict(list)
    for each in tried:
        if each.wrong:
            by_name[each.variant.transformation.name].append(each)
    queues = [by_name[row.transformation.name] for row in rows if row.transformation.name in by_name]
    turns = [queue[turn] for turn in range(_SHOWN) for queue in queues if turn < len(queue)]
    return [_example(each) for each in turns[:_SHOWN]]


def _example(each: JudgedVariant) -> Example:
    sample = each.variant.sample
    return {
        "transformation": each.variant.transformation.name,
        "reference": str(sample.reference)[:_LONGEST],
        "response": sample.response_text[-_LONGEST:],
        "outcome": each.judged.outcome.value,
        "reason_code": each.judged.reason_code,
        "reason": each.judged.reason[:_LONGEST],
        "record": each.judged.record,
    }


def _tables(rows: Sequence[TransformationRow], worst: Sequence[Example], survivors: Sequence[Survivors]) -> list[Table]:
    tables = [_table(kind, rows) for kind in _KINDS if _of_kind(rows, kind)]
    if worst:
        cells: list[list[Cell]] = [[each[name] for name in _EXAMPLE] for each in worst]
        tables.append(Table(title="Errors, each transformation in turn", columns=[*_EXAMPLE], rows=cells))
    if survivors:
        rows_of = [
            [each.sample, each.mutants, len(each.lines), each.share, "\n".join(each.lines)] for each in survivors
        ]
        columns = ["sample", "mutants", "survived", "share", "lines"]
        tables.append(
            Table(title="Tests that mutants survive", columns=columns, rows=rows_of, shares=["share"], note=_EQUIVALENT)
        )
    return tables


def _table(kind: str, rows: Sequence[TransformationRow]) -> Table:
    return Table(
        title=_KINDS[kind],
        columns=_COLUMNS,
        rows=[_cells(row) for row in _of_kind(rows, kind)],
        shares=["error rate", "Wilson low", "Wilson high", "Clopper-Pearson low", "Clopper-Pearson high"],
    )


def _cells(row: TransformationRow) -> list[Cell]:
    ends = [end for each in row.estimates for end in each.interval or (None, None)]
    counts = [row.tried, row.accepted, row.rejected, row.invalid, row.no_verdict]
    return [row.transformation.name, *counts, row.estimates[0].rate, *ends]


def _figure(kind: str, rows: Sequence[TransformationRow]) -> Figure:
    lines = []
    for place, row in enumerate(row for row in _of_kind(rows, kind) if row.judged):
        rate, interval = row.estimates[0].rate, row.estimates[0].interval
        low, high = interval or (None, None)
        lines.append(FigureLine(name=row.transformation.name, x=[place], y=[rate], low=[low], high=[high]))
    return Figure(kind="bars", title=_KINDS[kind], x="transformation", y="error rate", lines=lines)


def _of_kind(rows: Sequence[TransformationRow], kind: str) -> list[TransformationRow]:
    return [row for row in rows if row.transformation.kind == kind]


def _notes(rows: Sequence[TransformationRow], left_out: int) -> list[str]:
    notes = [_NOTE]
    missing, total = sum(row.no_verdict for row in rows), sum(row.tried for row in rows)
    if missing:
        causes: Counter[str] = sum((row.causes for row in rows), Counter())
        named = ", ".join(cause for cause, _ in causes.most_common(_CAUSES))
        notes.append(_NO_VERDICT.format(count=missing, total=total, causes=named))
    notes += [
        f"the reference as it is was not accepted on {row.errors} of {row.judged} samples: the subject does not read "
        "it, and the other rows of these samples say little"
        for row in rows
        if row.transformation.name == _UNCHANGED and row.errors
    ]
    if left_out:
        notes.append(f"{left_out} samples with a program were left out: their own response does not pass their tests.")
    if any(row.transformation in MUTANTS for row in rows):
        notes.append(_EQUIVALENT)
    return notes
