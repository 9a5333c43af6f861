"""Draws a run's figure as SVG: one link a point, with its values as the link's title, over the curves or cells.

A figure is one stop of the tab key, at its newest point; ``runs.js`` moves along the points by the arrow keys and
writes the values below. Without a script the pointer shows them, and the table below the figures has the same links.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from markupsafe import Markup

from app.pages.runs.plots.colours import WHOLE, styles
from app.pages.runs.plots.figure import RunFigure
from audits.figures import plot
from audits.figures.element import Element, add, add_text, new, serialise
from audits.figures.lines import band, curve, iter_values
from audits.figures.scale import Scale, domain
from audits.figures.text import short
from trueward.numerals import number, share

MOST_MARK_ROWS = 3
_MARK_ROW, _CHARACTER = 13.0, 6.6
_MARK_LENGTH = 24
_TITLE_LINES = 14
NONE = "\u2013"


def draw_run(figure: RunFigure, name: str) -> Markup:
    """The figure as an ``svg`` element; ``name`` is its id in the page, plain letters and digits."""
    x = _x_scale(figure)
    rows = _mark_rows(figure, x)
    above = _MARK_ROW * (1 + max((row for _, _, row in rows), default=-1))
    svg = new("svg", class_=f"plot run {figure.kind}", role="group", aria_labelledby=f"{name}-title")
    title = add(svg, "title", short(figure.title))
    title.set("id", f"{name}-title")
    y, looks = _PAINTERS[figure.kind](svg, figure, x)
    _ranges(svg, figure, x, y)
    _marks(svg, rows, x, y, 6 + _CHARACTER * len(figure.y))
    _links(svg, figure, x, y)
    names = [line.name for line in figure.lines] if figure.kind != "heat" else []
    bottom = y.start + plot.BOTTOM
    plot.legend(svg, names, bottom, looks)
    svg.set("viewBox", f"0 {-above:.0f} {plot.WIDTH:.0f} {bottom + plot.legend_height(names) + above:.0f}")
    return Markup(serialise(svg))  # noqa: S704 - the tree was escaped when it was written


def draw_strip(rates: Sequence[float | None], text: str) -> Markup:
    """Shares in a row, the darker the higher, as a picture in a table's cell."""
    svg = new("svg", class_="strip", role="img", aria_label=short(text), viewBox=f"0 0 {max(len(rates), 1)} 1",
              preserveAspectRatio="none")  # fmt: skip
    for place, rate in enumerate(rates):
        if rate is not None:
            add(svg, "rect", x=place, y=0, width=1, height=1, fill_opacity=0.08 + 0.92 * min(max(rate, 0.0), 1.0))
    return Markup(serialise(svg))  # noqa: S704 - as above


def _x_scale(figure: RunFigure) -> Scale:
    low, high = domain(spot.x for spot in figure.spots)
    # half a step at either end, so that a column has its full width
    gap = (high - low) / max(len(figure.spots) - 1, 1) / 2
    return plot.x_scale(low - gap, high + gap)


def _lines(svg: Element, figure: RunFigure, x: Scale) -> tuple[Scale, list[str]]:
    # of a share that is mostly 0 the band would be spikes: its interval stands in the titles alone
    banded = [line for line in figure.lines if line.name != "missing"]
    plain = (value for line in figure.lines for value in line.y if value is not None)
    y = plot.y_scale(*domain([*plain, *(value for line in banded for value in iter_values(line))], from_zero=True))
    looks = styles([line.name for line in figure.lines])
    plot.axes(svg, x, y, figure.x, figure.y)
    for line, style in zip(figure.lines, looks, strict=True):
        if line in banded:
            band(svg, line, x, y, style)
    for line, style in zip(figure.lines, looks, strict=True):
        # broad, so that a part that lies on the whole leaves both to be seen
        broad = " broad" if line.name in WHOLE and len(figure.lines) > 1 else ""
        curve(svg, line, x, y, f"{style}{broad}")
    return y, looks


def _stack(svg: Element, figure: RunFigure, x: Scale) -> tuple[Scale, list[str]]:
    y = plot.y_scale(0.0, 1.0)
    looks = styles([line.name for line in figure.lines])
    plot.axes(svg, x, y, figure.x, figure.y)
    for place, (left, width) in enumerate(_columns(figure, x)):
        base = 0.0
        for line, style in zip(figure.lines, looks, strict=True):
            value = line.y[place] or 0.0
            if value > 0:
                top, under = y.place(base + value), y.place(base)
                add(svg, "rect", class_=f"part {style}", x=left, width=width, y=top, height=under - top)
            base += value
    return y, looks


def _heat(svg: Element, figure: RunFigure, x: Scale) -> tuple[Scale, list[str]]:
    rows = max(len(figure.lines), 1)
    y = plot.y_scale(0.0, float(rows))
    grid = add(svg, "g", class_="axis")
    add_text(grid, figure.y, 70, x=6, y=14, class_="name")
    plot.x_axis(grid, x, y, figure.x)
    columns = _columns(figure, x)
    for row, line in enumerate(figure.lines):
        top, under = y.place(row + 1.0), y.place(float(row))
        add_text(svg, line.name, 9, x=x.start - 6, y=(top + under) / 2 + 4, text_anchor="end", class_="row")
        for place, value in enumerate(line.y):
            if value:
                left, width = columns[place]
                add(svg, "rect", class_="cell", x=left, width=width, y=top + 0.5, height=under - top - 1,
                    fill_opacity=0.08 + 0.92 * value)  # fmt: skip
    return y, []


_PAINTERS: dict[str, Callable[[Element, RunFigure, Scale], tuple[Scale, list[str]]]] = {
    "lines": _lines,
    "stack": _stack,
    "heat": _heat,
}


def _columns(figure: RunFigure, x: Scale) -> list[tuple[float, float]]:
    """Where the column of each point begins, and how wide it is: to the middles between it and its neighbours."""
    at = [x.place(spot.x) for spot in figure.spots]
    middles = [(one + other) / 2 for one, other in pairwise(at)]
    edges = pairwise([x.start, *middles, x.end])
    return [(left, max(right - left, 0.5)) for _, (left, right) in zip(at, edges, strict=False)]


def _links(svg: Element, figure: RunFigure, x: Scale, y: Scale) -> None:
    group = add(svg, "g", class_="spots")
    last = len(figure.spots) - 1
    values = _values(figure)
    spots = zip(figure.spots, _numbered(spot.x for spot in figure.spots), _columns(figure, x), strict=True)
    for place, (spot, at, (left, width)) in enumerate(spots):
        link = add(group, "a", href=spot.path, tabindex="0" if place == last else "-1")
        add(link, "title", "\n".join([spot.text, *values.get(at, ())[:_TITLE_LINES]]))
        add(link, "rect", class_="spot", x=left, width=width, y=y.end, height=y.start - y.end)


def _numbered(places: Iterable[float]) -> Iterator[tuple[float, int]]:
    """Each with how often it came before: the points of a long run may lie within one step."""
    seen: Counter[float] = Counter()
    for at in places:
        yield at, seen[at]
        seen[at] += 1


def _values(figure: RunFigure) -> dict[tuple[float, int], list[str]]:
    """At each place of each line what it is there, with its interval; a part that is nothing is left out."""
    shown = number if figure.kind == "lines" else share
    told: defaultdict[tuple[float, int], list[str]] = defaultdict(list)
    for line in figure.lines:
        name = short(line.name, 60)
        for place, (at, value) in enumerate(zip(_numbered(line.x), line.y, strict=True)):
            if figure.kind != "lines" and not value:
                continue
            ends = [None if one is None else one[place] for one in (line.low, line.high)]
            interval = "" if None in ends else f" [{', '.join(number(end) for end in ends if end is not None)}]"
            told[at].append(f"{name} {NONE if value is None else shown(value)}{interval}")
    return told


def _ranges(svg: Element, figure: RunFigure, x: Scale, y: Scale) -> None:
    """A bar along the top, and over curves a light ground; a range of everything would tell nothing."""
    for one in figure.ranges:
        left, right = x.place(one.low - 0.5), x.place(one.high + 0.5)
        if right - left >= 0.98 * (x.end - x.start):
            continue
        across = {"x": left, "width": max(right - left, 3.0)}
        bar = add(svg, "rect", class_="alarmed", y=y.end - 6, height=5.0, **across)
        add(bar, "title", short(one.text))
        if figure.kind == "lines":
            add(svg, "rect", class_="alarmed wide", y=y.end, height=y.start - y.end, **across)


def _mark_rows(figure: RunFigure, x: Scale) -> list[tuple[float, str, int]]:
    """Each mark on the axis with the row that its name stands in; a name without room in any has none.

    A mark's line goes down from its row. So a name that reaches over marks to its right stands above all of theirs.
    """
    found: list[tuple[float, str, int]] = []
    begun: list[tuple[float, int]] = []  # of the marks to the right: where each begins, and its row
    for place, name in sorted(figure.marks, reverse=True):
        if not x.low <= place <= x.high:
            continue
        width = _CHARACTER * len(short(name, _MARK_LENGTH))
        at = min(x.place(place), plot.WIDTH - width - 4)
        row = 1 + max((row for start, row in begun if start < at + width + 8), default=-1)
        if row < MOST_MARK_ROWS:
            begun.append((at, row))
            found.append((place, name, row))
        else:
            found.append((place, "", 0))
    return found[::-1]


def _marks(svg: Element, rows: Sequence[tuple[float, str, int]], x: Scale, y: Scale, named: float) -> None:
    """A line at each mark, and its name above the figure. None goes through the name of the axis, which ends at
    ``named``."""
    group = add(svg, "g", class_="mark")
    for place, name, row in rows:
        at = x.place(place)
        top = -_MARK_ROW * row - 2
        if at > named or not name:
            add(group, "line", x1=at, x2=at, y1=y.start, y2=y.end if not name else top + 3)
        else:
            add(group, "line", x1=at, x2=at, y1=y.start, y2=y.end)
            add(group, "line", x1=at, x2=at, y1=1, y2=top + 3)
        if name:
            width = _CHARACTER * len(short(name, _MARK_LENGTH))
            add_text(group, name, _MARK_LENGTH, x=min(at + 3, plot.WIDTH - width - 1), y=top)
