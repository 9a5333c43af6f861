"""The figures of a labelled audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from audits.labelled.scores import Curve
from audits.labelled.slices import SliceRate
from audits.statistics.arrays import Floats
from audits.statistics.calibration import Calibration
from audits.statistics.confusion import Confusion
from trueward.wire.audit import Figure, FigureLine

_BARS = 20


def matrix(counts: Confusion) -> Figure:
    return Figure(
        kind="matrix",
        title="Verdicts against labels",
        x="verdict",
        y="label",
        lines=[
            FigureLine(name="right", x=[0, 1, 2], y=[*counts[:3]]),
            FigureLine(name="wrong", x=[0, 1, 2], y=[*counts[3:]]),
        ],
        labels=["accepted", "rejected", "no verdict"],
    )


def slices(found: Sequence[SliceRate]) -> list[Figure]:
    """The worst slices by each rate, with their intervals."""
    figures = []
    for kind in ("false_positive", "false_negative"):
        worst = [one for one in found if one.kind == kind][:_BARS]
        bars = [
            FigureLine(
                name=one.name,
                x=[place],
                y=[one.slice.proportion.rate if one.weighted is None else one.weighted.rate],
                low=[one.interval.low if one.weighted is None else one.weighted.interval.low],
                high=[one.interval.high if one.weighted is None else one.weighted.interval.high],
            )
            for place, one in enumerate(worst)
        ]
        if bars:
            title = f"{kind.replace('_', '-').capitalize()} rate by slice, worst first"
            figures.append(Figure(kind="bars", title=title, y=f"{kind.replace('_', '-')} rate", lines=bars))
    return figures


def curve(found: Curve | None) -> list[Figure]:
    """Error rates by threshold, ROC, precision and recall."""
    if found is None:
        return []
    points = found.points
    positive, negative = points.false_positive_rate, points.false_negative_rate
    best = found.at_best[0]
    return [
        Figure(
            kind="lines",
            title="Error rates by threshold",
            x="accepted from this score on",
            y="rate",
            lines=[
                _line("false positive", points.thresholds[::-1], positive[::-1]),
                _line("false negative", points.thresholds[::-1], negative[::-1]),
            ],
            marks=[(best, f"largest J: {best:g}")],
        ),
        Figure(
            kind="lines",
            title=f"ROC, area {found.auc:.3f}",
            x="false-positive rate",
            y="true-positive rate",
            lines=[_line("ROC", positive, points.recall)],
        ),
        Figure(
            kind="lines",
            title=f"Precision and recall, average precision {found.average_precision:.3f}",
            x="recall",
            y="precision",
            lines=[_line("precision", points.recall, points.precision)],
        ),
    ]


def reliability(found: Mapping[str, Calibration]) -> list[Figure]:
    of = {"confidence": "verdicts that are right", "score": "responses that are right"}
    return [
        Figure(
            kind="reliability",
            title=f"Reliability of the {name}, expected error {one.error:.3f}",
            x=f"stated {name}",
            y=f"share of {of[name]}",
            lines=[
                FigureLine(
                    name=name,
                    x=[bin_.confidence for bin_ in one.bins],
                    y=[bin_.observed.rate for bin_ in one.bins],
                    low=[bin_.interval.low for bin_ in one.bins],
                    high=[bin_.interval.high for bin_ in one.bins],
                )
            ],
        )
        for name, one in found.items()
    ]


def _line(name: str, x: Floats, y: Floats) -> FigureLine:
    return FigureLine(name=name, x=x.tolist(), y=y.tolist())
