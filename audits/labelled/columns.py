"""Columns of names, kept as numbers: a million rows with a few names each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np

from audits.statistics.arrays import Ints


class NameColumn(NamedTuple):
    """A name for each of N rows, by its place among the different ones, which are in order of appearance."""

    codes: Ints
    names: list[str]

    def values(self) -> list[str]:
        return [self.names[code] for code in self.codes.tolist()]


class NameNumbers:
    """Numbers different names in order of appearance, page by page."""

    def __init__(self) -> None:
        self.known: dict[Hashable, int] = {}
        self._pages: list[Ints] = []

    def add(self, values: Sequence[Hashable]) -> None:
        known = self.known
        codes = (known.setdefault(value, len(known)) for value in values)
        self._pages.append(np.fromiter(codes, dtype=np.int64, count=len(values)))

    def codes(self) -> Ints:
        return np.concatenate(self._pages) if self._pages else np.zeros(0, dtype=np.int64)

    def column(self) -> NameColumn:
        return NameColumn(self.codes(), [str(name) for name in self.known])
