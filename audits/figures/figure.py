"""A figure of a report as SVG within a page, with a title and a description in words for those who do not see it."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from audits.figures.bars import MOST_ROWS, draw_bars, rows
from audits.figures.element import Element, new, serialise
from audits.figures.lines import MOST_LINES, draw_lines, draw_reliability
from audits.figures.matrix import MOST_COLUMNS, draw_matrix
from audits.figures.matrix import MOST_ROWS as MOST_MATRIX_ROWS
from audits.figures.text import printable, short
from trueward.numerals import number
from trueward.wire.audit import Figure, FigureLine

DRAWN: dict[str, Callable[[Figure], Element]] = {
    "lines": draw_lines,
    "reliability": draw_reliability,
    "bars": draw_bars,
    "matrix": draw_matrix,
}
_DESCRIBED = 12


def empty(figure: Figure) -> bool:
    """Whether it holds no value at all."""
    return not any(value is not None for line in figure.lines for value in line.y)


def draw_figure(figure: Figure, name: str) -> Markup:
    """The figure as an ``svg`` element; ``name`` is its id in the page, plain letters and digits."""
    svg = DRAWN[figure.kind](figure)
    svg.set("class", f"plot {figure.kind}")
    svg.set("role", "img")
    svg.set("aria-labelledby", f"{name}-title {name}-text")
    title, text = new("title", id=f"{name}-title"), new("desc", id=f"{name}-text")
    title.text, text.text = short(figure.title), printable(description(figure))
    svg.insert(0, title)
    svg.insert(1, text)
    return Markup(serialise(svg))  # noqa: S704 - the tree was escaped when it was written


def describe_omissions(figure: Figure) -> str:
    """What the drawing does not show for want of room; empty where it shows everything."""
    if figure.kind == "bars":
        return _further(len(rows(figure)), MOST_ROWS, "rows")
    if figure.kind == "matrix":
        found = [
            _further(len(figure.lines), MOST_MATRIX_ROWS, "rows"),
            _further(len(figure.labels), MOST_COLUMNS, "columns"),
        ]
        return "; ".join(filter(None, found))
    return _further(len(figure.lines), MOST_LINES, "lines")


def description(figure: Figure) -> str:
    """The figure's numbers in words: the whole of a small one, the beginning of a large one."""
    told = [_describe_line(figure, line) for line in figure.lines[:_DESCRIBED]]
    further = len(figure.lines) - len(told)
    marks = [f"mark at {place:g}: {short(name, 60)}" for place, name in figure.marks[:_DESCRIBED]]
    return "; ".join([*told, *([f"and {further} more"] if further else []), *marks]) or "nothing to draw"


def _describe_line(figure: Figure, line: FigureLine) -> str:
    name = short(line.name, 60) or "unnamed"
    if figure.kind == "matrix":
        cells = zip(figure.labels, line.y, strict=False)
        values = [f"{short(label, 30)} {'none' if value is None else number(value)}" for label, value in cells]
        return f"{name}: {', '.join(values[:_DESCRIBED])}"
    known = [(place, value) for place, value in zip(line.x, line.y, strict=False) if value is not None]
    if not known:
        return f"{name}: no value"
    (first_x, first), (last_x, last) = known[0], known[-1]
    if len(known) == 1:
        return f"{name}: {first:.4g}{_ends(line)}"
    low, high = min(value for _, value in known), max(value for _, value in known)
    return f"{name}: {first:.4g} at {first_x:g} to {last:.4g} at {last_x:g}, between {low:.4g} and {high:.4g}"


def _ends(line: FigureLine) -> str:
    low, high = ((ends or [None])[0] for ends in (line.low, line.high))
    return "" if low is None or high is None else f" ({low:.4g} to {high:.4g})"


def _further(present: int, shown: int, what: str) -> str:
    return f"{present - shown} further {what} are in the JSON report" if present > shown else ""
