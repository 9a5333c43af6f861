"""What is measured of one package, or of several together, as a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.shape.annotations import Typed, any_in_public, typed
from benchmarks.shape.excepts import Broad, broad
from benchmarks.shape.line_kinds import line_kinds
from benchmarks.shape.sizes import Lengths, files, functions
from benchmarks.shape.sources import Source

HEADER = (
    "package",
    "files",
    "lines",
    "median file",
    "largest",
    "functions",
    "median function",
    "longest",
    "typed",
    "broad excepts per 1,000",
    "without reason",
    "Any in public",
)


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    files: Lengths
    functions: Lengths
    typed: Typed
    broad: Broad
    any_in_public: list[str]
    line_kinds: dict[str, int]

    @classmethod
    def of(cls, name: str, sources: Sequence[Source]) -> Package:
        lengths = Lengths.of(files(sources)), Lengths.of(functions(sources))
        return cls(name, *lengths, typed(sources), broad(sources), any_in_public(sources), line_kinds(sources))

    @property
    def row(self) -> list[str]:
        """In the order of :data:`HEADER`."""
        return [
            self.name,
            *_columns(self.files, with_total=True),
            *_columns(self.functions, with_total=False),
            f"{self.typed.share:.1%}",
            f"{self.broad.per_thousand:.2f}",
            str(len(self.broad.without_reason)),
            str(len(self.any_in_public)),
        ]


def _columns(lengths: Lengths, *, with_total: bool) -> list[str]:
    total = [f"{lengths.total:,}"] if with_total else []
    return [f"{lengths.count:,}", *total, f"{lengths.median:g}", str(lengths.most)]
