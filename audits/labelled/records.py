"""Stored verdicts of a verifier, or rewards of a recipe, as columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from audits.judged import accepts
from audits.labelled.columns import Column
from audits.statistics.arrays import Floats, Ints
from trueward.types import Outcome


@dataclass(frozen=True, slots=True)
class Records:
    """N stored verdicts or rewards in the order of the ledger, as columns.

    ``sample`` is the content's fingerprint. ``group`` numbers what shares its errors: the group, else the prompt, else
    the sample. ``accepted`` is 1, 0, or NaN for no verdict; ``score`` (a reward, for a recipe) and ``confidence`` are
    NaN where missing. ``features`` has those that were asked for. Read with ``told``, prompts and features are those of
    labelled samples alone.
    """

    record: list[str]
    sample: list[str]
    group: Ints
    accepted: Floats
    score: Floats
    confidence: Floats
    outcome: Column
    features: dict[str, Column]

    def __len__(self) -> int:
        return len(self.record)

    def last_words(self) -> dict[str, float]:
        """Of each sample the latest verdict, 1 or 0; samples without any are left out."""
        judged = ~np.isnan(self.accepted)
        return dict(zip(compress(self.sample, judged.tolist()), self.accepted[judged].tolist(), strict=True))


def sharing(group: str | None, asked: str | None, sample: str) -> Hashable:
    """Of a group named like a prompt, or a prompt like a sample, it must stay clear which it is."""
    if group is not None:
        return group
    return ("sample", sample) if asked is None else ("prompt", asked)


def accepted(outcome: Column, score: Floats, threshold: float | None) -> Floats:
    """:func:`accepts` for each record: an outcome alone decides, or whether the score reaches the threshold."""
    reached = score >= threshold if threshold is not None else np.ones(len(score), dtype=np.bool_)
    above = _decided(outcome.names, float("inf"), threshold)[outcome.codes]
    below = _decided(outcome.names, float("-inf"), threshold)[outcome.codes]
    said: Floats = np.where(np.isnan(score), np.nan, np.where(reached, above, below))
    return said


def _decided(outcomes: Sequence[str], score: float, threshold: float | None) -> Floats:
    decided = [accepts(Outcome(name), score, threshold) for name in outcomes]
    return np.array(decided, dtype=np.float64)
