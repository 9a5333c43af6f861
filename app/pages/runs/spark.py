"""The course of a run's reward as a small line, drawn here: no script, and nothing that a caller wrote in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from markupsafe import Markup

from app.pages.digits import digits
from audits.figures.element import add, new, serialise

_WIDTH, _HEIGHT, _EDGE = 120.0, 28.0, 3.0


def spark(course: Sequence[float | None], word: str) -> Markup:
    """From zero, or the least value where that is below, to the greatest; a place without a value is a gap."""
    known = [value for value in course if value is not None]
    if not known:
        return Markup("\u2013")
    low, high = min(0.0, *known), max(0.0, *known)
    told = f"{word} from {digits(known[0])} to {digits(known[-1])}"
    root = new("svg", class_="spark", viewBox=f"0 0 {_WIDTH:.0f} {_HEIGHT:.0f}", role="img", aria_label=told)
    add(root, "title", told)
    places = [(_across(index, len(course)), _down(value, low, high)) for index, value in enumerate(course)]
    for held, part in groupby(places, key=lambda place: place[1] is not None):
        points = [(x, y) for x, y in part if y is not None]
        if held and len(points) > 1:
            add(root, "polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))
        elif held:
            add(root, "circle", cx=points[0][0], cy=points[0][1], r=2)
    return Markup(serialise(root))  # noqa: S704 - a tree that was written, every text and attribute escaped


def _across(index: int, count: int) -> float:
    return _EDGE + (_WIDTH - 2 * _EDGE) * index / max(count - 1, 1)


def _down(value: float | None, low: float, high: float) -> float | None:
    if value is None:
        return None
    return _HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * ((value - low) / (high - low) if high > low else 0.0)
