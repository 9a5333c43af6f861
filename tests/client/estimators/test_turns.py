"""Advantages of turns: who takes part, and what is left at 0."""

from __future__ import annotations

import pytest

from trueward.estimators.turns import turn_advantages


def test_each_turn_is_centred_over_those_that_reached_it() -> None:
    rewards = [[1.0, 0.5], [0.0, 0.0], [0.5, 1.0], [0.5, 0.5], [0.5, 0.5], [0.5]]
    found = turn_advantages(rewards)
    assert found == [[0.5, 0.0], [-0.5, -0.5], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0], [0.0]]


def test_four_holders_or_fewer_say_nothing() -> None:
    assert turn_advantages([[1.0], [0.0], [1.0], [0.0]]) == [[0.0]] * 4
    assert turn_advantages([[1.0], [0.0], [1.0], [0.0]], least=2)[0] == [0.5]


def test_a_conversation_that_failed_takes_no_part() -> None:
    found = turn_advantages([[1.0], None, [0.0], [0.0], [0.0], [0.0]])
    assert found[1] == []
    assert found[0] == [pytest.approx(0.8)]


def test_spread_is_divided_out_where_asked_and_none_is_nothing() -> None:
    assert turn_advantages([[1.0]] * 5, normalise=True) == [[0.0]] * 5
    found = turn_advantages([[1.0], [0.0], [0.0], [0.0], [0.0]], normalise=True)
    assert found[0] == [pytest.approx(0.8 / 0.4472135955)]
