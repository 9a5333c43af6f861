"""A confusion matrix: rows and columns with their names, numbers in the cells, the darker the larger of its row."""

from __future__ import annotations

from audits.figures.element import Element, add, add_text, new
from audits.figures.plot import WIDTH
from trueward.numerals import number
from trueward.wire.audit import Figure, FigureLine

MOST_ROWS, MOST_COLUMNS = 30, 12
_NAMES, _TOP, _ROW = 170.0, 48.0, 40.0
_WIDEST = 150.0


def draw_matrix(figure: Figure) -> Element:
    """At most 30 rows and 12 columns."""
    lines, columns = figure.lines[:MOST_ROWS], figure.labels[:MOST_COLUMNS]
    cell = min(_WIDEST, (WIDTH - _NAMES) / max(1, len(columns)))
    svg = new("svg", viewBox=f"0 0 {WIDTH:.0f} {_TOP + _ROW * len(lines) + 8:.0f}")
    add_text(svg, figure.y, 24, x=6, y=_TOP - 10, class_="name")
    add_text(svg, figure.x, 60, x=_NAMES, y=14, class_="name")
    for index, name in enumerate(columns):
        middle = _NAMES + cell * (index + 0.5)
        add_text(svg, name, max(4, int(cell / 8)), x=middle, y=_TOP - 10, text_anchor="middle", class_="row")
    for index, line in enumerate(lines):
        _row(svg, line, len(columns), cell, _TOP + _ROW * index)
    return svg


def _row(svg: Element, line: FigureLine, columns: int, cell: float, top: float) -> None:
    add_text(svg, line.name, 22, x=_NAMES - 10, y=top + _ROW / 2 + 4, text_anchor="end", class_="row")
    values = [*line.y[:columns], *[None] * (columns - len(line.y))]
    most = max((abs(value) for value in values if value is not None), default=0.0)
    for index, value in enumerate(values):
        left = _NAMES + cell * index
        share = abs(value) / most if value is not None and most else 0.0
        add(svg, "rect", class_="cell", x=left + 1, y=top + 1, width=cell - 2, height=_ROW - 2, rx=3,
            fill_opacity=0.06 + 0.5 * share)  # fmt: skip
        text = "\u2013" if value is None else number(value)
        add(svg, "text", text, x=left + cell / 2, y=top + _ROW / 2 + 5, text_anchor="middle", class_="count")
