"""Votes into one, with members missing."""

from __future__ import annotations

from itertools import product

import pytest

from judges.panel.combine import Vote, agreement, combine_votes
from judges.panel.members import VOTED, Combine


def votes(*scores: float, weights: tuple[float, ...] | None = None) -> list[Vote]:
    heavy = weights or (1.0,) * len(scores)
    return [Vote(score, weight, score >= 0.5) for score, weight in zip(scores, heavy, strict=True)]


@pytest.mark.parametrize(
    ("how", "scores", "weights", "wanted"),
    [
        ("mean", (1, 0.5, 0), None, 0.5),
        ("mean", (1, 0), (3, 1), 0.75),
        ("median", (0.9, 0.1, 0.2), None, 0.2),
        ("median", (0.2, 0.4), None, 0.3),
        ("median", (0.2, 0.4), (3, 1), 0.2),
        ("median", (0.1, 0.5, 0.9), (1, 1, 2), 0.7),
        ("min", (0.9, 0.3), (9, 1), 0.3),
        ("majority", (1, 1, 0), None, 1),
        ("majority", (1, 0), None, 0),
        ("majority", (1, 0, 0), (3, 1, 1), 1),
        ("unanimous", (1, 0.5), None, 1),
        ("unanimous", (1, 0.4), None, 0),
    ],
)
def test_scores_become_one(
    how: Combine, scores: tuple[float, ...], weights: tuple[float, ...] | None, wanted: float
) -> None:
    assert combine_votes(votes(*scores, weights=weights), 0, how, 0.8) == pytest.approx(wanted)


@pytest.mark.parametrize("how", ["mean", "median"])
@pytest.mark.parametrize(
    ("answered", "missing", "quorum", "stands"),
    [(4, 1, 0.8, True), (3, 1, 0.8, False), (3, 1, 0.75, True), (0, 2, 0.1, False), (1, 1, 0.5, True)],
)
def test_a_mean_stands_with_a_quorum(how: Combine, answered: int, missing: int, quorum: float, stands: bool) -> None:
    found = combine_votes(votes(*[0.4] * answered), missing, how, quorum)
    assert found == (pytest.approx(0.4) if stands else None)


@pytest.mark.parametrize("how", ["min", *VOTED])
def test_the_others_stand_where_the_missing_could_not_change_them(how: Combine) -> None:
    """Held against every way in which the missing might have voted."""
    for number in range(1, 6):
        for scores in product((0.0, 1.0), repeat=number):
            for missing in range(number + 1):
                known = votes(*scores[missing:])
                outcomes = {
                    combine_votes(known + votes(*said), 0, how, 0.8) for said in product((0.0, 1.0), repeat=missing)
                }
                found = combine_votes(known, missing, how, 0.8)
                assert found == (outcomes.pop() if len(outcomes) == 1 else None), (scores, missing)


def test_agreement_is_the_larger_side_by_weight() -> None:
    assert agreement(votes(1, 0, 0, weights=(3, 1, 1))) == pytest.approx(0.6)
    assert agreement(votes(0, 0)) == 1
