"""The tables of a labelled audit."""

from __future__ import annotations

from collections.abc import Sequence

from audits.labelled.measured import MeasuredRate
from audits.labelled.slices import SliceRate
from audits.statistics.confusion import Confusion
from audits.statistics.drawn import DrawnRate
from rewards.noise.rates import Rates
from trueward.wire.audit import Cell, Interval, Table

_SHOWN = 100
"""Rows of a table; the findings have all of them."""


def matrix(counts: Confusion) -> Table:
    return Table(
        title="Verdicts against labels",
        columns=["label", "accepted", "rejected", "no verdict"],
        rows=[["right", *counts[:3]], ["wrong", *counts[3:]]],
    )


def metrics(found: MeasuredRate) -> Table:
    """J and Matthews' correlation may be below 0, so they are numbers."""
    rows: list[list[Cell]] = []
    drawn = any(metric.weighted for metric in found.metrics.values())
    for name, metric in found.metrics.items():
        row: list[Cell] = [name, metric.value, *_ends(metric.interval)]
        if drawn:
            weighted = metric.weighted
            known = weighted is not None and weighted.rate is not None
            row += [weighted.rate, *weighted.interval] if weighted is not None and known else [None, None, None]
        rows.append(row)
    if found.youden is not None:
        rows.append(["Youden's J", found.youden[0], *found.youden[1], *([None] * 3 if drawn else [])])
    columns = ["metric", "value", "low", "high", *(["weighted", "weighted low", "weighted high"] if drawn else [])]
    return Table(title="Metrics", columns=columns, rows=rows)


def slices(found: Sequence[SliceRate]) -> list[Table]:
    """Worst first."""
    if not found:
        return []
    drawn = any(one.weighted for one in found)
    rows: list[list[Cell]] = []
    for one in found[:_SHOWN]:
        rate = one.slice.proportion
        row: list[Cell] = [one.name, one.kind.replace("_", " ")]
        row += [*_of_run(one.weighted)] if drawn else [rate.rate, *one.interval]
        rows.append([*row, rate.errors, rate.trials, one.slice.rest, one.adjusted])
    columns = ["slice", "rate", "value", "low", "high", "errors", "items", "elsewhere", "p, guarded"]
    if drawn:
        columns = [
            "slice",
            "rate",
            "in the run",
            "low",
            "high",
            "labelled errors",
            "labelled",
            "elsewhere",
            "p, guarded",
        ]
    note = f"the first {_SHOWN} of {len(found)}" if len(found) > _SHOWN else ""
    return [
        Table(
            title="Slices, worst first",
            columns=columns,
            rows=rows,
            shares=["in the run" if drawn else "value", "low", "high", "elsewhere"],
            note=note,
        )
    ]


def _of_run(found: DrawnRate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if found is None or found.rate is None else (found.rate, *found.interval)


def recipe_slices(rates: Rates) -> list[Table]:
    if not rates.slices:
        return []
    shown = list(rates.slices.items())[:_SHOWN]
    if rates.elsewhere is not None:
        shown.append(("(elsewhere)", rates.elsewhere))
    rows: list[list[Cell]] = [
        [
            key,
            rate.false_positive,
            *_ends(rate.false_positive_interval),
            rate.wrong or 0,
            rate.false_negative,
            *_ends(rate.false_negative_interval),
            rate.right or 0,
        ]
        for key, rate in shown
    ]
    positive = ["false positive", "FP low", "FP high", "wrong"]
    negative = ["false negative", "FN low", "FN high", "right"]
    return [
        Table(
            title=f"Rates for recipes, by {', '.join(rates.by)}",
            columns=["slice", *positive, *negative],
            rows=rows,
            shares=[*positive[:3], *negative[:3]],
            note="partially pooled: a slice with few labels is near the others, and its interval is wide; (elsewhere) "
            "is a slice without labels",
        )
    ]


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return interval if interval is not None else (None, None)
