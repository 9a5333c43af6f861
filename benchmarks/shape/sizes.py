"""How long files and functions are.

A file's length is its lines, blank ones included. A function's is from ``def`` to its last line, with its docstring
and without its decorators; one that is inside another counts for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.shape.sources import Function, Source

SMALL = 30
"""Lines of a file that may be too small to stand alone."""


@dataclass(frozen=True, slots=True)
class Length:
    """Lines of a file or a function, and where it is (``app/main.py``, ``app/main.py:64 create_app``)."""

    lines: int
    where: str


@dataclass(frozen=True, slots=True)
class Lengths:
    """Of the files, or of the functions, of one package."""

    count: int
    total: int
    median: float
    longest: Length | None

    @property
    def most(self) -> int:
        """Lines of the longest; 0 where there is none."""
        return self.longest.lines if self.longest else 0

    @property
    def where(self) -> str:
        """The place of the longest."""
        return self.longest.where if self.longest else ""

    @classmethod
    def of(cls, lengths: Sequence[Length]) -> Lengths:
        lines = [one.lines for one in lengths]
        longest = max(lengths, key=lambda one: one.lines, default=None)
        return cls(len(lines), sum(lines), median(lines) if lines else 0, longest)


def length(function: Function) -> int:
    """Lines of a function."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def files(sources: Iterable[Source]) -> list[Length]:
    """A file's length each; a file without any text, such as an empty ``__init__.py``, is none."""
    return [Length(len(source.lines), source.path) for source in sources if source.lines]


def small(sources: Iterable[Source]) -> list[str]:
    """The files of at most ``SMALL`` lines."""
    return [one.where for one in files(sources) if one.lines <= SMALL]


def functions(sources: Iterable[Source]) -> list[Length]:
    return [
        Length(length(function), f"{source.path}:{function.lineno} {name}")
        for source in sources
        for name, function in source.functions()
    ]
