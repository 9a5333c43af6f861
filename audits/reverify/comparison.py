"""What was said of the same samples then and now, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audits.labelled.columns import NameNumbers
from audits.labelled.records import Records
from audits.reverify.stored_verdicts import Stored
from audits.statistics.arrays import Bools, Floats, Ints
from audits.subject_verdict import Judged


@dataclass(frozen=True, slots=True)
class Compared:
    """N samples. Verdicts are 1, 0, or NaN where there is none; scores (rewards, for recipes) NaN where missing.

    ``shared`` numbers what shares its errors, ``groups`` what was judged together.
    """

    then: Sequence[Stored]
    now: Sequence[Judged]
    before: Floats
    after: Floats
    score_before: Floats
    score_after: Floats
    shared: Ints
    groups: Ints

    @property
    def both(self) -> Bools:
        """Those with a verdict both times."""
        return ~(np.isnan(self.before) | np.isnan(self.after))

    @property
    def scored(self) -> Bools:
        """Those with a score both times."""
        return ~(np.isnan(self.score_before) | np.isnan(self.score_after))

    @property
    def flipped(self) -> Bools:
        differ: Bools = self.both & (self.before != self.after)
        return differ


def compare_verdicts(then: Sequence[Stored], now: Sequence[Judged]) -> Compared:
    """One entry of each for each sample, in the same order."""
    shared, groups = NameNumbers(), NameNumbers()
    shared.add([row.shared for row in then])
    groups.add([row.together for row in then])
    return Compared(
        then=then,
        now=now,
        before=_numbers([row.accepted for row in then]),
        after=_numbers([one.accepted for one in now]),
        score_before=_numbers([row.score for row in then]),
        score_after=_numbers([one.score for one in now]),
        shared=shared.codes(),
        groups=groups.codes(),
    )


def as_records(then: Sequence[Stored]) -> Records:
    """The stored ones, as audits of labels read them."""
    shared, outcome = NameNumbers(), NameNumbers()
    shared.add([row.shared for row in then])
    outcome.add([row.outcome.value for row in then])
    return Records(
        record=[row.record for row in then],
        sample=[row.sample for row in then],
        group=shared.codes(),
        accepted=_numbers([row.accepted for row in then]),
        score=_numbers([row.score for row in then]),
        confidence=np.full(len(then), np.nan),
        outcome=outcome.column(),
        features={},
    )


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
