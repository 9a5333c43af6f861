"""Stored verdicts of a verifier, or rewards of a recipe, as columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple

import numpy as np

from audits.labelled.columns import NameColumn
from audits.statistics.arrays import Bools, Floats, Ints
from audits.subject_verdict import accepts
from trueward.wire.audit import Population, Subject
from trueward.wire.verdict import Outcome


class Origin(NamedTuple):
    """Whose records of which population were read, all of them whole."""

    subject: Subject
    population: Population


@dataclass(frozen=True, slots=True)
class Records:
    """N stored verdicts or rewards in the order of the ledger, as columns.

    ``sample`` is the content's fingerprint. ``group`` numbers what shares its errors: the group, else the prompt, else
    the sample. ``accepted`` is 1, 0, or NaN for no verdict; ``score`` (a reward, for a recipe) and ``confidence`` are
    NaN where missing. ``features`` has those that were asked for. Read with ``told``, prompts and features are those of
    labelled samples alone, and there is no ``origin``.
    """

    record: list[str]
    sample: list[str]
    group: Ints
    accepted: Floats
    score: Floats
    confidence: Floats
    outcome: NameColumn
    features: dict[str, NameColumn]
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.record)

    def part(self, kept: Bools) -> Records:
        """Some of them, with the numbers that they have here."""
        chosen = kept.tolist()
        return Records(
            record=list(compress(self.record, chosen)),
            sample=list(compress(self.sample, chosen)),
            group=self.group[kept],
            accepted=self.accepted[kept],
            score=self.score[kept],
            confidence=self.confidence[kept],
            outcome=self.outcome._replace(codes=self.outcome.codes[kept]),
            features={name: one._replace(codes=one.codes[kept]) for name, one in self.features.items()},
        )

    def last_words(self) -> dict[str, float]:
        """Of each sample the latest verdict, 1 or 0; samples without any are left out."""
        judged = ~np.isnan(self.accepted)
        return dict(zip(compress(self.sample, judged.tolist()), self.accepted[judged].tolist(), strict=True))


def sharing(group: str | None, asked: str | None, sample: str) -> Hashable:
    """Of a group named like a prompt, or a prompt like a sample, it must stay clear which it is."""
    if group is not None:
        return group
    return ("sample", sample) if asked is None else ("prompt", asked)


def decide_accepted(outcome: NameColumn, score: Floats, threshold: float | None) -> Floats:
    """:func:`accepts` for each record: an outcome alone decides, or whether the score reaches the threshold."""
    reached = score >= threshold if threshold is not None else np.ones(len(score), dtype=np.bool_)
    above = _decided(outcome.names, float("inf"), threshold)[outcome.codes]
    below = _decided(outcome.names, float("-inf"), threshold)[outcome.codes]
    said: Floats = np.where(np.isnan(score), np.nan, np.where(reached, above, below))
    return said


def _decided(outcomes: Sequence[str], score: float, threshold: float | None) -> Floats:
    decided = [accepts(Outcome(name), score, threshold) for name in outcomes]
    return np.array(decided, dtype=np.float64)
