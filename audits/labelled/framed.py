"""The records of an audit as the frame that its labels speak of: contents with one verdict, which were drawn or not."""

from __future__ import annotations

import numpy as np

from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame


class Framed:
    """Where labels were drawn the frame is the run, as far as it could be drawn; else it is the labelled records, each
    for itself."""

    def __init__(
        self, records: Records, truth: Truth, level: float, lasting: bool = False, *, at_large: bool = True
    ) -> None:
        design = truth.design
        self.drawn = design is not None
        self._level, self._lasting, self._at_large = level, lasting, at_large
        known = ~np.isnan(truth.right)
        if design is None:
            self._inside: Bools = known
            self._chance: Floats = np.ones(len(records))
            self._stratum: Ints = np.zeros(len(records), dtype=np.int64)
            labelled = known
        else:
            self._inside = np.isnan(design.chance) | (design.chance > 0)
            self._chance, self._stratum = design.chance, design.stratum
            labelled = known & design.labelled
        self._right = np.where(labelled, truth.right, np.nan)
        self._accepted, self._group = records.accepted, records.group
        verdict = np.where(np.isnan(records.accepted), 2, records.accepted).astype(np.int64)
        self._unit = truth.sample * 3 + verdict

    def frame(self, some: Bools | None = None) -> Frame:
        """Of some of the records; all without a choice."""
        rows = np.flatnonzero(self._inside if some is None else self._inside & some)
        _, first, records = np.unique(self._unit[rows], return_index=True, return_counts=True)
        kept = rows[first]
        return Frame(
            accepted=self._accepted[kept],
            right=self._right[kept],
            records=records.astype(np.float64),
            group=self._group[kept],
            chance=self._chance[kept],
            stratum=self._stratum[kept],
        )

    def rates(self, some: Bools | None = None) -> DrawnRates:
        return DrawnRates(self.frame(some), level=self._level, lasting=self._lasting, at_large=self._at_large)
