"""The figure of a benchmark: one point with its interval for each domain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from audits.statistics.proportion import Interval
from trueward.wire.audit import Figure, FigureLine


class Point(NamedTuple):
    """A domain's rate."""

    name: str
    rate: float | None
    interval: Interval | None


def bars(measure: str, points: Sequence[Point]) -> Figure:
    """One bar a point, in order."""
    lines = []
    for place, (name, rate, interval) in enumerate(points):
        low, high = interval or (None, None)
        lines.append(FigureLine(name=name, x=[float(place)], y=[rate], low=[low], high=[high]))
    return Figure(kind="bars", title=f"{measure} by domain", x="domain", y=measure, lines=lines)
