"""RewardBench 2's Ties: several answers are equally right, so their scores should be close, and above all wrong ones.

Each question comes twice: with many right answers (tied), and with a single right one (reference). arXiv 2506.01937.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from audits.statistics.arrays import numbers


class TiedQuestion(NamedTuple):
    """Scores of one question's right and wrong answers, in its tied and in its reference form."""

    tied_right: ArrayLike
    tied_wrong: ArrayLike
    reference_right: ArrayLike
    reference_wrong: ArrayLike


def ties_score(questions: Sequence[TiedQuestion]) -> float:
    """The weighted score, at most 1.01: ``.3`` each for the accuracies of both forms, ``.2`` where the gap to the wrong
    answers exceeds the spread of the right ones, ``.2`` where the smaller gap of both forms does, and ``.01`` for
    how far.

    A form is accurate where every right answer scores above every wrong one. Where the right answers' spread is 0 the
    last term is that of an infinitely large (or, with a negative gap, small) ratio, and 0 where both are 0.
    """
    if not questions:
        raise ValueError("no questions: the score needs some")
    terms = np.array([_terms(question) for question in questions])
    return float(terms.mean(axis=0) @ np.array([0.3, 0.3, 0.2, 0.2, 0.01]))


def _terms(question: TiedQuestion) -> tuple[float, float, float, float, float]:
    right = numbers("tied_right", question.tied_right)
    tied = _gap(question.tied_right, question.tied_wrong)
    reference = _gap(question.reference_right, question.reference_wrong)
    spread, smaller = float(right.max() - right.min()), min(tied, reference)
    far = np.tanh(smaller / spread - 1) if spread else float(np.sign(smaller))
    return float(tied > 0), float(reference > 0), float(tied > spread), float(smaller > spread), float(far)


def _gap(right: ArrayLike, wrong: ArrayLike) -> float:
    best, worst = numbers("right", right), numbers("wrong", wrong)
    if not (len(best) and len(worst)):
        raise ValueError("each form of a question needs right and wrong answers")
    return float(best.min() - worst.max())
