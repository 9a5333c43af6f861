"""A row of logits as model servers give it: as it is, or through the activation of a classifier."""

from __future__ import annotations

from collections.abc import Sequence

from judges.questions import Answer
from judges.reading import probability
from trueward.estimators.scores import sigmoid


def row_of(answer: Answer, *, activated: bool) -> list[float]:
    """The head's numbers: of one the sigmoid, of several the softmax. A gated model's is its mixed score."""
    row = answer.rows[0]
    return activation(row) if activated else list(row)


def activation(row: Sequence[float]) -> list[float]:
    if len(row) == 1:
        return [sigmoid(row[0])]
    return [probability(row, place) for place in range(len(row))]
