"""What a figure of a run holds: lines over its points, what lies behind each of these, and what is marked."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from trueward.wire.audit import FigureLine
from trueward.wire.base import Wire


class Spot(Wire):
    """A point of the run on the axis: ``path`` leads to its samples, ``text`` says which steps and records it has."""

    x: float
    text: str
    path: str


class MarkedRange(Wire):
    """Steps that an alarm is about."""

    low: float
    high: float
    text: str


class RunFigure(Wire):
    """``lines``: curves. ``stack``: each line is a share, one on top of the other. ``heat``: each line is a row of
    shares, the first at the bottom. All lines have their points at ``spots``."""

    kind: Literal["lines", "stack", "heat"]
    title: str
    x: str
    y: str
    lines: list[FigureLine]
    spots: list[Spot]
    marks: list[tuple[float, str]] = Field(default=[], description="places on x with a name")
    ranges: list[MarkedRange] = Field(default=[])
    note: str = Field("", description="a sentence on what is to be seen")
