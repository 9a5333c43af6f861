"""What an effect is to the command: how it is measured, and how its criterion speaks.

A criterion is a bar that was fixed before: what is measured must lie above it (or below), by a 95% interval over
paired seeds. ``reproduced``: the whole interval does. ``not reproduced``: it lies on the other side, whole. ``null``:
it holds the bar, so the seeds do not tell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.science.paired import Interval

Word = Literal["reproduced", "not reproduced", "null", "one seed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``criterion`` is the sentence that was fixed; ``word`` is computed from the interval alone."""

    criterion: str
    measured: Interval
    word: Word

    def __str__(self) -> str:
        return f"{self.word}: {self.criterion}: {self.measured}"


def above(criterion: str, measured: Interval, bar: float = 0.0) -> Finding:
    return Finding(criterion, measured, _word(measured, bar, 1.0))


def below(criterion: str, measured: Interval, bar: float = 0.0) -> Finding:
    return Finding(criterion, measured, _word(measured, bar, -1.0))


def _word(measured: Interval, bar: float, sign: float) -> Word:
    if measured.low is None or measured.high is None:
        return "one seed"
    ends = sorted((sign * (measured.low - bar), sign * (measured.high - bar)))
    return "reproduced" if ends[0] > 0 else "not reproduced" if ends[1] < 0 else "null"


@dataclass(frozen=True, slots=True)
class Scale:
    """``steps`` None: those that the effect's file fixes."""

    seeds: Sequence[int]
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an effect is measured: a service's address, and a folder that is empty at first and gone afterwards."""

    url: str
    scratch: Path


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Measured:
    """What an effect leaves: its document beside what it fixes, findings, tables, and claims (docs/benchmarks.md)."""

    document: Mapping[str, object]
    findings: Sequence[Finding]
    tables: Sequence[Table]
    claims: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class Effect:
    """``name`` is that of the document (``science-<name>``); ``fixed``: all that was fixed before the seeds ran.

    ``service`` are settings of the service that it is measured through.
    """

    name: str
    about: str
    fixed: Mapping[str, object]
    measure: Callable[[Place, Scale], Measured]
    service: Mapping[str, float] = field(default_factory=dict)
