"""Rates side by side: one row each, a point with its interval, and its name before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from audits.figures.element import Element, add, add_text, new
from audits.figures.plot import RIGHT, WIDTH
from audits.figures.scale import Scale, domain, tick_labels, ticks
from trueward.wire.audit import Figure

MOST_ROWS = 60
_NAMES = 220.0
_ROW = 22.0
_TOP = 24.0
_NAME_LENGTH = 26


class BarRow(NamedTuple):
    """``place`` orders the rows."""

    place: float
    name: str
    value: float | None
    low: float | None
    high: float | None


def rows(figure: Figure) -> list[BarRow]:
    """All points of the figure in the order of their x."""
    return sorted(_points(figure), key=lambda row: row.place)


def draw_bars(figure: Figure) -> Element:
    """At most 60 rows; a row without a value says so."""
    shown = rows(figure)[:MOST_ROWS]
    values = [value for row in shown for value in (row.value, row.low, row.high) if value is not None]
    x = Scale(*domain(values, from_zero=True), _NAMES, WIDTH - RIGHT)
    bottom = _TOP + _ROW * len(shown)
    svg = new("svg", viewBox=f"0 0 {WIDTH:.0f} {bottom + 44:.0f}")
    _axis(svg, x, bottom, figure)
    for index, row in enumerate(shown):
        _row(svg, row, x, _TOP + _ROW * (index + 0.5))
    return svg


def _points(figure: Figure) -> Iterator[BarRow]:
    for line in figure.lines:
        for index, (place, value) in enumerate(zip(line.x, line.y, strict=False)):
            low, high = (ends[index] if ends and index < len(ends) else None for ends in (line.low, line.high))
            yield BarRow(place, line.name, value, low, high)


def _axis(svg: Element, x: Scale, bottom: float, figure: Figure) -> None:
    grid = add(svg, "g", class_="axis")
    values = ticks(x.low, x.high)
    for value, label in zip(values, tick_labels(values), strict=True):
        place = x.place(value)
        add(grid, "line", x1=place, x2=place, y1=_TOP, y2=bottom)
        add(grid, "text", label, x=place, y=bottom + 16, text_anchor="middle")
    add_text(grid, figure.x, _NAME_LENGTH, x=6, y=14, class_="name")
    add_text(grid, figure.y, 60, x=(x.start + x.end) / 2, y=bottom + 36, text_anchor="middle", class_="name")
    for place, name in figure.marks:
        if x.low <= place <= x.high:
            add(svg, "line", class_="limit", x1=x.place(place), x2=x.place(place), y1=_TOP - 4, y2=bottom)
            add_text(svg, name, 28, x=x.place(place) + 4, y=_TOP - 8, class_="limit")


def _row(svg: Element, row: BarRow, x: Scale, y: float) -> None:
    add_text(svg, row.name, _NAME_LENGTH, x=_NAMES - 10, y=y + 4, text_anchor="end", class_="row")
    if row.value is None:
        add(svg, "text", "nothing to estimate from", x=_NAMES + 8, y=y + 4, class_="none")
        return
    if row.low is not None and row.high is not None:
        low, high = x.place(row.low), x.place(row.high)
        add(svg, "line", class_="interval s0", x1=low, x2=high, y1=y, y2=y)
        for end in (low, high):
            add(svg, "line", class_="interval s0", x1=end, x2=end, y1=y - 4, y2=y + 4)
    add(svg, "circle", class_="s0", cx=x.place(row.value), cy=y, r=4.5)
