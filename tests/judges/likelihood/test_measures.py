"""Formulas of papers and of released code on numbers worked out by hand, and their invariants."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judges.likelihood.measures import (
    follow_up,
    last_token_reward,
    progress,
    reasoning_perplexity,
    self_aligned,
    subtract_bias,
)
from judges.likelihood.probability import (
    FLOOR,
    FORMS,
    log_probability,
    mean_log_probability,
    mean_probability,
    probability,
)

LOGS = [math.log(p) for p in (0.9, 0.8, 0.7)]
rows = st.lists(st.floats(-60, 0), min_size=1, max_size=40)


def test_the_four_forms_of_one_reference() -> None:
    assert mean_probability(LOGS) == pytest.approx(0.8)
    assert probability(LOGS) == pytest.approx(0.504)
    assert log_probability(LOGS) == pytest.approx(-0.685179, abs=1e-6)
    assert mean_log_probability(LOGS) == pytest.approx(-0.228393, abs=1e-6)


def test_what_reasoning_added_is_never_negative() -> None:
    assert subtract_bias(0.8, 0.5) == pytest.approx(0.3)
    assert subtract_bias(0.4, 0.5) == 0.0


def test_perplexity_is_normalised_by_the_length_of_the_reasoning() -> None:
    assert reasoning_perplexity(-0.9, 100) == pytest.approx(1.349859, abs=1e-6)
    assert reasoning_perplexity(-0.9, 1) == pytest.approx(2.459603, abs=1e-6)
    assert reasoning_perplexity(-0.9, 0) == pytest.approx(2.459603, abs=1e-6)


def test_a_question_that_helps_lowers_the_perplexity() -> None:
    assert self_aligned(-0.5, -1.0) == pytest.approx(0.393469, abs=1e-6)
    assert self_aligned(-2.0, -0.5) == -1.0


def test_the_last_token_says_whether_the_policy_thinks_that_it_is_right() -> None:
    assert last_token_reward(-18.0, -23.0, 0.1) == pytest.approx(0.5)


def test_progress_telescopes_to_the_whole_gain() -> None:
    steps = progress([0.2, 0.5, 0.4])
    assert steps == pytest.approx([0.3, -0.1])
    assert math.fsum(steps) == pytest.approx(0.4 - 0.2)


def test_content_follow_ups_count_against_discontent_ones() -> None:
    assert follow_up([-1.0, -2.0], [-3.0]) == pytest.approx(1.5)
    assert follow_up([-1.0], []) == -1.0


@given(rows)
def test_every_form_rises_with_every_token(row: list[float]) -> None:
    better = [min(one + 0.5, 0.0) for one in row]
    assert all(form(better) >= form(row) - 1e-12 for form in FORMS.values())


@given(rows)
def test_a_token_is_never_counted_below_the_floor(row: list[float]) -> None:
    assert log_probability(row) >= FLOOR * len(row)
    assert FLOOR <= mean_log_probability(row) <= 0


@pytest.mark.parametrize("form", [mean_log_probability, mean_probability])
def test_no_tokens_have_no_mean(form: object) -> None:
    with pytest.raises(ValueError, match="no tokens"):
        form([])  # type: ignore[operator]
