"""Votes and selection over classes of equivalent answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.selection import best_of, by_majority, by_weighted_vote
from rewards.vote import majority

classes = st.lists(st.none() | st.integers(0, 3), min_size=1, max_size=10)


def test_the_worked_majority() -> None:
    voted = majority(["A", "A", "B", "C"])
    assert voted is not None
    assert (voted.winner, voted.share, voted.tied) == ("A", 0.5, False)


def test_silence_does_not_vote() -> None:
    assert majority([None]) is None
    voted = majority([None, None, "A", None])
    assert voted is not None
    assert (voted.winner, voted.share) == ("A", 1)


def test_among_equals_the_first_to_occur_wins_and_the_tie_is_told() -> None:
    tie = majority(["B", "A", "A", "B"])
    assert tie is not None
    assert (tie.winner, tie.tied) == ("B", True)


@given(classes)
def test_nobody_has_more_votes_than_the_majority(answers: list[int | None]) -> None:
    voted = majority(answers)
    there = [answer for answer in answers if answer is not None]
    assert (voted is None) == (not there)
    if voted is not None:
        assert voted.share * len(there) == pytest.approx(max(map(there.count, there)))


def test_selection() -> None:
    assert best_of([0.2, None, 0.9, 0.9]) == 2
    assert best_of([None]) is None
    assert by_majority(["A", "B", "B"], [0.9, 0.1, 0.8]) == 2
    assert by_majority(["A", "B", "B"]) == 1
    assert by_majority([None, None]) is None
    assert by_weighted_vote(["A", "B", "B"], [0.9, 0.3, 0.4]) == 0
    assert by_weighted_vote(["A", "B", "B"], [0.6, 0.3, 0.4]) == 2
    assert by_weighted_vote(["A", None], [None, 0.5]) is None
    with pytest.raises(ValueError, match="at least 0"):
        by_weighted_vote(["A"], [-1.0])


@given(classes, st.data())
def test_what_is_chosen_has_an_answer(answers: list[int | None], data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.none() | st.floats(0, 1), min_size=len(answers), max_size=len(answers)))
    for chosen in (by_majority(answers, scores), by_weighted_vote(answers, scores)):
        assert chosen is None or answers[chosen] is not None
