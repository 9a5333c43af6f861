"""A mutant: one fault at one place, known by its function and the text of its lines."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.mutants.operators import Place
from benchmarks.mutants.places import Spot
from benchmarks.mutants.spans import Edit, Layout, Span, edited
from benchmarks.shape.sources import Source

EVENT = "trueward.mutant"
"""The audit event that a marked place raises; nothing listens to it but :mod:`benchmarks.mutants.marks`."""


class Gone(LookupError):
    """The mutant's text is not in this revision; says what is missing."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """``original`` and ``mutated`` are whole lines. ``nth`` tells lines apart that a function has several times.

    ``start`` and ``end`` are the characters of ``original`` that must run for the fault to matter, an expression or,
    with ``statement``, a statement. ``line`` is where it stood when it was drawn. ``pure``: its module computes and
    does nothing else (:mod:`benchmarks.mutants.purity`).
    """

    number: int
    path: str
    line: int
    function: str
    operator: str
    original: str
    mutated: str
    nth: int
    start: int
    end: int
    statement: bool
    pure: bool

    @classmethod
    def of(cls, number: int, spot: Spot, *, pure: bool) -> Mutant:
        layout, whole = Layout(spot.source.text), spot.place.whole
        first = layout.text.count("\n", 0, whole.start)
        last = layout.text.count("\n", 0, whole.end)
        original, offset = "\n".join(layout.lines[first : last + 1]), layout.starts[first]
        return cls(
            number=number,
            path=spot.source.path,
            line=first + 1,
            function=spot.function,
            operator=spot.place.operator,
            original=original,
            mutated=edited(original, _moved(spot.place, -offset)),
            nth=_occurrences(spot.source, spot.function, original).index(first),
            start=whole.start - offset,
            end=whole.end - offset,
            statement=spot.place.statement,
            pure=pure,
        )

    @property
    def package(self) -> str:
        """The folder that is the package, or ``client``."""
        return self.path.partition("/")[0]

    def __str__(self) -> str:
        return f"{self.number} {self.path}:{self.line} {self.function}: {self.operator}"

    def applied(self, text: str) -> str:
        """The file's text with the fault. Raises Gone."""
        return edited(text, [Edit(self._lines(text), self.mutated)])

    def whole(self, text: str) -> Span:
        """Where in the file's text the expression or statement stands. Raises Gone."""
        lines = self._lines(text)
        return Span(lines.start + self.start, lines.start + self.end)

    def _lines(self, text: str) -> Span:
        found = _occurrences(Source("", self.path, text), self.function, self.original)
        if self.nth >= len(found):
            raise Gone(f"{self.path}: {self.function} has not the text that was mutated")
        start = Layout(text).starts[found[self.nth]]
        return Span(start, start + len(self.original))


def marked(text: str, mutants: list[Mutant]) -> str:
    """The file's text, the same in what it does, where each mutant's place raises :data:`EVENT` with its number.

    Places may stand within each other. Mutants that are gone are passed over.
    """
    inserted: list[tuple[int, int, int, str]] = []
    for mutant in mutants:
        try:
            whole = mutant.whole(text)
        except Gone:
            continue
        length = whole.end - whole.start
        call = f'__import__("sys").audit("{EVENT}", {mutant.number})'
        # at one position: what ends there before what begins there, the inner end first, the outer beginning first
        if mutant.statement:
            inserted.append((whole.start, 1, -length, f"{call}; "))
        else:
            inserted += [(whole.start, 1, -length, f"({call} or ("), (whole.end, 0, length, "))")]
    for position, _, _, addition in sorted(inserted, reverse=True):
        text = text[:position] + addition + text[position:]
    return text


def _moved(place: Place, by: int) -> list[Edit]:
    return [Edit(Span(one.span.start + by, one.span.end + by), one.text) for one in place.edits]


def _occurrences(source: Source, function: str, lines: str) -> list[int]:
    """The numbers, from 0, of the lines where these lines begin within functions of this name."""
    wanted, all_lines = lines.split("\n"), source.text.split("\n")
    found: dict[int, None] = {}
    for name, node in source.functions():
        if name == function and node.end_lineno is not None:
            for first in range(node.lineno - 1, node.end_lineno - len(wanted) + 1):
                if all_lines[first : first + len(wanted)] == wanted:
                    found[first] = None
    return list(found)
