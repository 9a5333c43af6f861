"""What a format makes of its rows: responses whose scores are compared, and the comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from audits.bench.rows import BenchRow, RawRows
from trueward.wire.audit import Table
from trueward.wire.sample import Sample

Scores = Sequence[Sequence[float]]
"""Of one case: a list for each of its parts."""


@dataclass(frozen=True, slots=True)
class BenchCase:
    """One comparison. ``place`` is its row's, from 0; cases with the same ``prompt`` share their errors.

    ``parts`` are its responses by what they are, such as the chosen and the rejected ones.
    """

    place: int
    id: str
    domain: str
    split: str | None
    prompt: str
    parts: tuple[tuple[Sample, ...], ...]

    @classmethod
    def of(cls, place: int, row: BenchRow, *parts: Sequence[Sample]) -> BenchCase:
        name = str(place + 1) if row.id is None else str(row.id)
        return cls(place, name, row.domain, row.split, parts[0][0].prompt_text, tuple(map(tuple, parts)))


class CaseMeasures(NamedTuple):
    """A case's measures by name, and by how much it was won (negative: lost): the worst are shown."""

    values: dict[str, float]
    margin: float


class Format(NamedTuple):
    """A format of benchmarks. ``meaning`` says what each measure is, the main one first; ``whole`` makes tables of the
    scores of all cases together."""

    row: type[BenchRow]
    cases: Callable[[RawRows], list[BenchCase]]
    measure: Callable[[Scores], CaseMeasures]
    meaning: Mapping[str, str]
    whole: Callable[[Sequence[Scores]], list[Table]] | None = None
