"""Scalars from comparisons: worked numbers, and what must hold whatever the comparisons are."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.comparative.reading import tie_broken
from judges.comparative.standings import (
    Match,
    balance,
    bradley_terry,
    elo,
    mean_scores,
    score_against,
    win_rates,
)

matches = st.lists(
    st.builds(
        Match,
        one=st.integers(0, 2),
        other=st.integers(3, 5),
        preference=st.sampled_from([0.0, 0.5, 1.0]),
        agreed=st.sampled_from([-1, 0, 1]),
    ),
    min_size=1,
    max_size=12,
)


def test_the_worked_tie_breaker_average() -> None:
    replies = {(0, 1): (4, 3, 2), (1, 2): (3, 3, 5), (2, 0): (2, 4, 5)}
    assert tie_broken(3, 3, 5) == (1.5, 4.5)
    played = [Match(*pair, 0.5, scores=tie_broken(*reply)) for pair, reply in replies.items()]
    assert mean_scores(played) == {0: 4, 1: 2.25, 2: 3.25}


def test_the_worked_bootstrapped_reference() -> None:
    played = [Match(0, 1, 0, -1), Match(0, 2, 1, 1), Match(3, 0, 0.5, 0)]
    found = score_against(played, 0)
    assert [found[place] for place in range(4)] == [0, 1, -1, -1]
    assert balance(found.values()) == 0.25


def test_the_worked_bradley_terry() -> None:
    found = bradley_terry([Match(0, 1, 1)] * 3 + [Match(0, 1, 0)], pseudo_wins=0)
    assert found is not None
    assert found[0] - found[1] == pytest.approx(math.log(3))
    assert sum(found.values()) == pytest.approx(0)


def test_a_tie_is_half_a_win_for_each() -> None:
    assert bradley_terry([Match(0, 1, 0.5)] * 2) == bradley_terry([Match(0, 1, 1), Match(1, 0, 1)]) == {0: 0, 1: 0}


def test_who_wins_everything_is_not_infinitely_strong() -> None:
    found = bradley_terry([Match(0, 1, 1), Match(1, 2, 1), Match(0, 2, 1)])
    assert found is not None
    assert found[0] > found[1] > found[2]
    assert all(math.isfinite(strength) for strength in found.values())
    # 1.5 of 2 each way: the score equations of the maximum
    chance = [1 / (1 + math.exp(found[other] - found[0])) for other in (1, 2)]
    assert 2 * sum(chance) == pytest.approx(3, abs=1e-6)


def test_groups_that_never_met_have_no_common_scale() -> None:
    assert bradley_terry([Match(0, 1, 1), Match(2, 3, 1)]) is None
    assert bradley_terry([]) == {}


def test_a_long_chain_is_solved_exactly() -> None:
    found = bradley_terry([Match(place, place + 1, 1) for place in range(63)])
    assert found is not None
    gaps = [found[place] - found[place + 1] for place in range(63)]
    assert gaps == pytest.approx([math.log(3)] * 63)


def test_the_worked_elo() -> None:
    assert elo([Match(0, 1, 1)]) == {0: 1016, 1: 984}


def test_elo_hardly_depends_on_the_order_and_is_the_same_again() -> None:
    played = [Match(0, 1, 1), Match(1, 2, 1), Match(2, 0, 1), Match(0, 3, 1)]
    assert elo(played, 5) == elo(played, 5) != elo(played, 6)
    assert elo(played, 5) == pytest.approx(elo(played[::-1], 5), abs=1)
    assert elo(played, 5, shuffles=1) != pytest.approx(elo(played[::-1], 5, shuffles=1), abs=1)
    assert sum(elo(played).values()) == pytest.approx(4000)


def test_the_worked_preference_strengths() -> None:
    strengths = {(0, 1): 2, (0, 2): -1, (1, 2): -3}
    played = [Match(*pair, 0.5, scores=(value, -value)) for pair, value in strengths.items()]
    assert mean_scores(played) == {0: 0.5, 1: -2.5, 2: 2.0}


@given(matches, st.randoms())
def test_bradley_terry_does_not_depend_on_order_or_on_who_is_named_first(played: list[Match], random: Random) -> None:
    turned = [Match(one.other, one.one, 1 - one.preference) if random.random() < 0.5 else one for one in played]
    random.shuffle(turned)
    found, again = bradley_terry(played), bradley_terry(turned)
    assert (found is None) == (again is None)
    if found is not None and again is not None:
        assert again == pytest.approx(found, abs=1e-7)


@given(matches)
def test_preferences_are_shared_out(played: list[Match]) -> None:
    rates = win_rates(played)
    assert all(0 <= rate <= 1 for rate in rates.values())
    count = dict.fromkeys(rates, 0)
    for match in played:
        count[match.one] += 1
        count[match.other] += 1
    assert sum(rates[place] * count[place] for place in rates) == pytest.approx(len(played))
