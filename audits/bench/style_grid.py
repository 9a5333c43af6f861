"""``style_grid``: the same answers in several styles, from plain to ornate (RM-Bench, arXiv 2410.16184)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audits.bench.case import BenchCase, CaseMeasures, Format, Scores
from audits.bench.preference import PreferenceRow, preference_cases
from audits.bench.rows import RawRows, problem, refuse
from audits.statistics.preference import style_grid
from trueward.errors import FieldProblem
from trueward.wire.audit import Table


def _cases(rows: RawRows) -> list[BenchCase]:
    """``chosen`` and ``rejected`` have one response a style, in the same order of styles in all rows."""
    found = preference_cases(rows)
    refuse(list(_uneven(found)))
    return found


def _uneven(cases: Sequence[BenchCase]) -> Iterator[FieldProblem]:
    styles = len(cases[0].parts[0]) if cases else 0
    for case in cases:
        for field, part in zip(("chosen", "rejected"), case.parts, strict=True):
            if len(part) != styles or len(part) < 2:
                detail = f"has {len(part)} responses; every row needs as many as there are styles, two at least"
                yield problem(case.place, field, "styles", f"{detail} (row 1 has {styles} chosen ones)")


def _measure(scores: Scores) -> CaseMeasures:
    chosen, rejected = scores
    found = style_grid([chosen], [rejected])
    values = {"mean": found.mean, "easy": found.easy, "normal": found.normal, "hard": found.hard}
    return CaseMeasures(values, min(chosen) - max(rejected))


def _make_tables(scores: Sequence[Scores]) -> list[Table]:
    found = style_grid([chosen for chosen, _ in scores], [rejected for _, rejected in scores])
    styles = [f"rejected {style + 1}" for style in range(len(found.accuracy))]
    return [
        Table(
            title="Chosen style against rejected style",
            columns=["style", *styles],
            rows=[[f"chosen {style + 1}", *map(float, row)] for style, row in enumerate(found.accuracy)],
            shares=styles,
            note="Styles from plain to ornate. Above the diagonal the rejected response looks better: these are hard.",
        )
    ]


STYLE_GRID = Format(
    PreferenceRow,
    _cases,
    _measure,
    {
        "mean": "chosen above rejected, over all pairs of styles; a tie is an error",
        "easy": "pairs in which the chosen response is in the more ornate style",
        "normal": "pairs of the same style",
        "hard": "pairs in which the rejected response is in the more ornate style",
    },
    _make_tables,
)
