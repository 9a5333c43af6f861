"""A run's stream as columns: N records in the order of their steps, and of the ledger within a step.

Numbers are NaN and texts None where there is nothing. ``cause`` is ``invalid: <reason code>`` or ``missing: <reason
code>``, None where a score was given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audits.statistics.arrays import Bools, Floats, Groups, Ints, Verdicts, codes

Texts = NDArray[np.object_]
Rows = slice | Ints | Bools
NO_STEP = -1


@dataclass(frozen=True, slots=True)
class RecordStream:
    """``group`` and ``prompt`` are numbers; ``accepted`` and ``right`` (the label) are 1 or 0, ``gold`` is the label's
    score where it has one, else ``right``; ``scores`` are those of each verifier. ``stratum`` is the number of the data
    source, ``lesson`` that of the source and of how often the prompt came before: :mod:`app.watch.strata` gives them,
    until then all are 0."""

    record: Texts
    step: Ints
    policy: Texts
    source: Texts
    group: Ints
    prompt: Ints
    reward: Floats
    accepted: Floats
    cause: Texts
    length: Floats
    answer: Texts
    canary: Bools
    right: Floats
    gold: Floats
    stratum: Ints
    lesson: Ints
    scores: Mapping[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        reward: Verdicts,
        *,
        record: Sequence[str] | None = None,
        step: Sequence[int | None] | Ints | None = None,
        policy: Sequence[str | None] | None = None,
        source: Sequence[str | None] | None = None,
        group: Groups | None = None,
        prompt: Groups | None = None,
        accepted: Verdicts | None = None,
        cause: Sequence[str | None] | None = None,
        length: Verdicts | None = None,
        answer: Sequence[str | None] | None = None,
        canary: ArrayLike | None = None,
        right: Verdicts | None = None,
        gold: Verdicts | None = None,
        scores: Mapping[str, Verdicts] | None = None,
    ) -> RecordStream:
        """A stream of these columns; those that are not given hold nothing, and each record is a group of its own."""
        paid = np.asarray(reward, dtype=np.float64)
        size = len(paid)
        groups = np.arange(size) if group is None else codes("group", group)
        labels = _floats(right, size)
        return cls(
            record=_texts(record or [f"{place:09d}" for place in range(size)], size),
            step=np.array([NO_STEP if one is None else one for one in (step if step is not None else [None] * size)]),
            policy=_texts(policy, size),
            source=_texts(source, size),
            group=groups,
            prompt=groups if prompt is None else codes("prompt", prompt),
            reward=paid,
            accepted=_floats(accepted, size),
            cause=_texts(cause, size),
            length=_floats(length, size),
            answer=_texts(answer, size),
            canary=np.zeros(size, bool) if canary is None else np.asarray(canary, dtype=bool),
            right=labels,
            gold=labels if gold is None else np.where(np.isnan(_floats(gold, size)), labels, _floats(gold, size)),
            stratum=np.zeros(size, np.int64),
            lesson=np.zeros(size, np.int64),
            scores={name: _floats(values, size) for name, values in (scores or {}).items()},
        ).in_order()

    def __len__(self) -> int:
        return len(self.reward)

    def part(self, rows: Rows) -> RecordStream:
        """The stream of some of its records."""
        columns = {one.name: getattr(self, one.name)[rows] for one in fields(self) if one.name != "scores"}
        return RecordStream(**columns, scores={name: values[rows] for name, values in self.scores.items()})

    def in_order(self) -> RecordStream:
        """By step; a record without one counts to the step before it."""
        known = np.maximum.accumulate(np.where(self.step == NO_STEP, NO_STEP, np.arange(len(self))))
        steps = np.where(known == NO_STEP, NO_STEP, self.step[np.maximum(known, 0)])
        order = np.argsort(steps, kind="stable")
        return self if (np.diff(order) == 1).all() else self.part(order)

    @property
    def labelled(self) -> Bools:
        known: Bools = ~np.isnan(self.right)
        return known


def together(parts: Sequence[RecordStream]) -> RecordStream:
    """Streams one after the other, whose groups and prompts have the same numbers. At least one."""
    names = {name: None for part in parts for name in part.scores}
    columns = {
        one.name: np.concatenate([getattr(part, one.name) for part in parts])
        for one in fields(RecordStream)
        if one.name != "scores"
    }
    scores = {
        name: np.concatenate([part.scores.get(name, np.full(len(part), np.nan)) for part in parts]) for name in names
    }
    return RecordStream(**columns, scores=scores)


def _texts(values: Sequence[str | None] | None, size: int) -> Texts:
    column = np.empty(size, dtype=object)
    if values is not None:
        column[:] = values
    return column


def _floats(values: Verdicts | None, size: int) -> Floats:
    return np.full(size, np.nan) if values is None else np.asarray(values, dtype=np.float64)
