"""Curves over x with their bands, and the reliability diagram, which is such a curve beside its diagonal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

from audits.figures import plot
from audits.figures.element import Element, add, new
from audits.figures.scale import Scale, domain
from trueward.wire.audit import Figure, FigureLine

MOST_LINES = 24
_SQUARE = 420.0
_DOTS = 40
Point = tuple[float, float]
T = TypeVar("T")


def draw_lines(figure: Figure) -> Element:
    """A line is interrupted where its y is None. At most 24 lines are drawn."""
    lines = figure.lines[:MOST_LINES]
    x = plot.x_scale(*domain(place for line in lines for place in line.x))
    y = plot.y_scale(*domain((value for line in lines for value in iter_values(line)), from_zero=True))
    return _drawn(figure, lines, x, y, plot.WIDTH)


def draw_reliability(figure: Figure) -> Element:
    """Stated confidence on x, observed share on y, both from 0 to 1; on the diagonal they agree."""
    x, y = plot.x_scale(0.0, 1.0, _SQUARE), plot.y_scale(0.0, 1.0, _SQUARE - 20)
    return _drawn(figure, figure.lines[:MOST_LINES], x, y, plot.WIDTH, diagonal=True)


def _drawn(
    figure: Figure, lines: Sequence[FigureLine], x: Scale, y: Scale, width: float, *, diagonal: bool = False
) -> Element:
    names = [line.name for line in lines]
    bottom = y.start + plot.BOTTOM
    svg = new("svg", viewBox=f"0 0 {width:.0f} {bottom + plot.legend_height(names):.0f}")
    plot.axes(svg, x, y, figure.x, figure.y)
    if diagonal:
        add(svg, "line", class_="diagonal", x1=x.start, y1=y.start, x2=x.end, y2=y.end)
    for index, line in enumerate(lines):
        band(svg, line, x, y, plot.style(index))
    for index, line in enumerate(lines):
        curve(svg, line, x, y, plot.style(index))
    plot.marks(svg, x, y, figure.marks)
    plot.legend(svg, names, bottom)
    return svg


def band(svg: Element, line: FigureLine, x: Scale, y: Scale, style: str) -> None:
    """The area between ``low`` and ``high``, where the line has both."""
    if line.low is None or line.high is None:
        return
    bounds = [
        (place, (low, high)) if low is not None and high is not None else (place, None)
        for place, low, high in zip_longest(line.x, line.low[: len(line.x)], line.high[: len(line.x)])
    ]
    for piece in _pieces(bounds):
        edge = [(x.place(place), y.place(high)) for place, (_, high) in piece]
        back = [(x.place(place), y.place(low)) for place, (low, _) in reversed(piece)]
        add(svg, "path", class_=f"band {style}", d=f"{_path([*edge, *back])}Z")


def curve(svg: Element, line: FigureLine, x: Scale, y: Scale, style: str) -> None:
    """With a dot at each point where these are few."""
    for piece in _pieces(list(zip(line.x, line.y, strict=False))):
        points = [(x.place(place), y.place(value)) for place, value in piece]
        add(svg, "path", class_=f"curve {style}", d=_path(points))
        if len(line.x) <= _DOTS:
            for across, up in points:
                add(svg, "circle", class_=style, cx=across, cy=up, r=3)


def _pieces(points: Sequence[tuple[float, T | None]]) -> Iterator[list[tuple[float, T]]]:
    """The runs of points that have a value."""
    run: list[tuple[float, T]] = []
    for place, value in points:
        if value is not None:
            run.append((place, value))
        elif run:
            yield run
            run = []
    if run:
        yield run


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{across:.1f} {up:.1f}" for across, up in points)


def iter_values(line: FigureLine) -> Iterator[float]:
    """Every number of the line and its band."""
    for values in (line.y, line.low, line.high):
        yield from (value for value in values or () if value is not None)
