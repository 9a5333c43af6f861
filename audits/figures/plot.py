"""What curves are drawn into: two axes with ticks, marks on x, and a legend below."""

from __future__ import annotations

from collections.abc import Sequence

from audits.figures.element import Element, add, add_text
from audits.figures.scale import Scale, tick_labels, ticks

WIDTH = 640.0
HEIGHT = 300.0
LEFT, RIGHT, TOP, BOTTOM = 60.0, 20.0, 34.0, 48.0
_LEGEND_ROW = 20.0
_LEGEND_TEXT = {3: 20, 2: 36}
"""Characters that a name of the legend has room for, by the names in a row."""
STYLES = 8
"""Colours, dashes and markers before they repeat; report.css has them as ``.s0`` to ``.s7``."""


def x_scale(low: float, high: float, width: float = WIDTH) -> Scale:
    return Scale(low, high, LEFT, width - RIGHT)


def y_scale(low: float, high: float, height: float = HEIGHT) -> Scale:
    return Scale(low, high, height - BOTTOM, TOP)


def axes(svg: Element, x: Scale, y: Scale, x_name: str, y_name: str) -> None:
    """Grid, ticks and the names of both axes."""
    grid = add(svg, "g", class_="axis")
    values = ticks(y.low, y.high)
    for value, label in zip(values, tick_labels(values), strict=True):
        place = y.place(value)
        add(grid, "line", x1=x.start, x2=x.end, y1=place, y2=place)
        add(grid, "text", label, x=x.start - 8, y=place + 4, text_anchor="end")
    add_text(grid, y_name, 70, x=6, y=14, class_="name")
    x_axis(grid, x, y, x_name)


def x_axis(group: Element, x: Scale, y: Scale, name: str) -> None:
    """The lower axis alone."""
    values = ticks(x.low, x.high, 8)
    for value, label in zip(values, tick_labels(values), strict=True):
        place = x.place(value)
        add(group, "line", x1=place, x2=place, y1=y.start, y2=y.start + 5)
        add(group, "text", label, x=place, y=y.start + 18, text_anchor="middle")
    add(group, "line", class_="base", x1=x.start, x2=x.end, y1=y.start, y2=y.start)
    add_text(group, name, 70, x=(x.start + x.end) / 2, y=y.start + 38, text_anchor="middle", class_="name")


def marks(svg: Element, x: Scale, y: Scale, places: Sequence[tuple[float, str]]) -> None:
    """Places on x with their names, which hang from the top; those out of sight are left out."""
    group = add(svg, "g", class_="mark")
    for place, name in places:
        if not x.low <= place <= x.high:
            continue
        at = x.place(place)
        add(group, "line", x1=at, x2=at, y1=y.start, y2=y.end)
        to_the_left = at > (x.start + x.end) / 2
        add_text(group, name, 28, x=at + (-5 if to_the_left else 5), y=y.end + 11,
                 text_anchor="end" if to_the_left else "start")  # fmt: skip


def legend_height(names: Sequence[str]) -> float:
    return _LEGEND_ROW * -(-len(names) // _in_a_row(names)) if len(names) > 1 else 0.0


def legend(svg: Element, names: Sequence[str], top: float, styles: Sequence[str] = ()) -> None:
    """Three names a row, or two where one of them is long; a single line needs none. ``styles`` are the lines' own,
    else those of their places."""
    if len(names) < 2:
        return
    group = add(svg, "g", class_="legend")
    columns = _in_a_row(names)
    column = (WIDTH - LEFT - RIGHT) / columns
    for index, name in enumerate(names):
        x = LEFT + index % columns * column
        y = top + index // columns * _LEGEND_ROW + 12
        own = styles[index] if styles else style(index)
        add(group, "line", class_=own, x1=x, x2=x + 24, y1=y - 4, y2=y - 4)
        add_text(group, name, _LEGEND_TEXT[columns], x=x + 30, y=y)


def _in_a_row(names: Sequence[str]) -> int:
    return 3 if all(len(name) <= _LEGEND_TEXT[3] for name in names) else 2


def style(index: int) -> str:
    return f"s{index % STYLES}"
