"""The records of an audit as the frame that its labels speak of: contents with one verdict, which were drawn or not."""

from __future__ import annotations

import numpy as np

from audits.labelled.records import Records
from audits.labelled.truth import Truth
from audits.statistics.arrays import Bools, Floats, Ints
from audits.statistics.drawn import DrawnRates
from audits.statistics.frame import Frame, cells
from audits.statistics.label_errors import LabelErrors, Votes, estimate_label_errors
from audits.statistics.voted import VotedRates


class Framed:
    """Where labels were drawn the frame is the run, as far as it could be drawn; else it is the labelled records, each
    for itself."""

    def __init__(
        self, records: Records, truth: Truth, level: float, lasting: bool = False, *, at_large: bool = True
    ) -> None:
        design = truth.design
        self.drawn = design is not None
        self._level, self._lasting, self._at_large = level, lasting, at_large
        known = truth.known
        if design is None:
            self._inside: Bools = known
            self._chance: Floats = np.ones(len(records))
            self._stratum: Ints = np.zeros(len(records), dtype=np.int64)
            labelled = known
        else:
            self._inside = np.isnan(design.chance) | (design.chance > 0)
            self._chance, self._stratum = design.chance, design.stratum
            labelled = known & design.labelled
        self._right = np.where(labelled, np.nan_to_num(truth.right, nan=0.5), np.nan)
        self._accepted, self._group = records.accepted, records.group
        verdict = np.where(np.isnan(records.accepted), 2, records.accepted).astype(np.int64)
        self._unit = truth.sample * 3 + verdict
        self._votes = truth.votes
        self.label_errors = None if truth.votes is None else self._errors(truth.votes)
        """Of labellers that disagree; None where none does, and labels are taken for right."""

    @property
    def claims(self) -> bool:
        """Whether the rates that count are these: of a run, or without labels' errors."""
        return self.drawn or self._votes is not None

    def _errors(self, votes: Votes) -> LabelErrors | None:
        """One labeller's errors are the same in all slices, so all labels tell of them."""
        frame, kept = self._framed(None)
        of = kept[frame.labelled]
        return (
            estimate_label_errors(cells(frame)[frame.labelled], Votes(votes.wrong[of], votes.right[of]))
            if len(of)
            else None
        )

    def _framed(self, some: Bools | None) -> tuple[Frame, Ints]:
        """And a record of each unit."""
        rows = np.flatnonzero(self._inside if some is None else self._inside & some)
        _, first, records = np.unique(self._unit[rows], return_index=True, return_counts=True)
        kept = rows[first]
        frame = Frame(
            accepted=self._accepted[kept],
            right=self._right[kept],
            records=records.astype(np.float64),
            group=self._group[kept],
            chance=self._chance[kept],
            stratum=self._stratum[kept],
        )
        return frame, kept

    def rates(self, some: Bools | None = None) -> DrawnRates:
        frame, kept = self._framed(some)
        level, lasting, at_large = self._level, self._lasting, self._at_large
        if self._votes is None or self.label_errors is None:
            return DrawnRates(frame, level=level, lasting=lasting, at_large=at_large)
        votes = Votes(self._votes.wrong[kept], self._votes.right[kept])
        return VotedRates(frame, votes, self.label_errors, level=level, lasting=lasting, at_large=at_large)
