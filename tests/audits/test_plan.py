"""How many labels: what is asked, what is assumed, and what no number of labels can do."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from audits.plan import plan
from trueward.errors import InvalidRequest
from trueward.wire.label_plan import LabelQuestion


def asked(**question: Any) -> LabelQuestion:
    return LabelQuestion(**question)


def passes(errors: int, labels: int, limit: float) -> bool:
    """By the upper end of Clopper and Pearson's interval at 95%, from the binomial itself."""
    return bool(stats.binom.cdf(errors, labels, limit) <= 0.025)


def test_a_gate_is_passed_with_the_power_that_was_asked_for() -> None:
    found = plan(asked(max_fpr=0.02, expected_fpr=0.005, share_wrong=0.25))
    assert found.wrong is not None
    most = max(errors for errors in range(found.wrong) if passes(errors, found.wrong, 0.02))
    assert stats.binom.cdf(most, found.wrong, 0.005) >= 0.8
    assert (found.right, found.responses, found.notes) == (None, 4 * found.wrong, [])


def test_what_is_not_said_is_assumed_and_named() -> None:
    found = plan(asked(max_fnr=0.1))
    assert found == plan(asked(max_fnr=0.1, expected_fnr=0.05, share_wrong=0.5)).model_copy(
        update={"notes": found.notes}
    )
    assert [note.partition(":")[0] for note in found.notes] == [
        "assumes that the true rate is 0.05, half of its limit",
        "assumes that half of the responses are wrong",
    ]


def test_both_kinds_are_found_among_the_same_responses() -> None:
    found = plan(asked(max_fpr=0.05, max_fnr=0.05, share_wrong=0.2))
    assert found.wrong == found.right
    assert found.responses == 5 * found.wrong  # type: ignore[operator] # both were asked for


def test_responses_to_one_prompt_count_less() -> None:
    alone = plan(asked(max_fpr=0.05, expected_fpr=0.01, share_wrong=0.5))
    grouped = plan(asked(max_fpr=0.05, expected_fpr=0.01, share_wrong=0.5, group_size=8, correlation=0.5))
    assert grouped.wrong == alone.wrong
    assert grouped.responses == alone.responses * 4.5  # 1 + 7 * 0.5


def test_a_width_is_asked_of_both_rates_where_none_is_named() -> None:
    found = plan(asked(width=0.1))
    assert found.wrong == found.right == 381  # Wilson's interval about 1/2 is z / sqrt(n + z^2) wide
    assert plan(asked(width=0.1, expected_fpr=0.02)).right is None


def test_a_gate_and_a_width_take_the_larger_number() -> None:
    gated, narrow = plan(asked(max_fpr=0.02, expected_fpr=0.01)), plan(asked(width=0.01, expected_fpr=0.01))
    both = plan(asked(max_fpr=0.02, expected_fpr=0.01, width=0.01))
    assert both.wrong == max(gated.wrong or 0, narrow.wrong or 0)


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({"max_fpr": 0.02, "expected_fpr": 0.02}, "max_fpr"),
        ({"max_fpr": 0.02, "expected_fpr": 0.5}, "max_fpr"),
        ({"max_fnr": 0.02, "expected_fnr": 0.0199999}, "max_fnr"),
    ],
)
def test_what_no_number_of_labels_can_do_is_refused(question: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        plan(asked(**question))
    assert [problem.field for problem in refusal.value.errors] == [field]


@pytest.mark.parametrize("question", [{}, {"expected_fpr": 0.1}, {"share_wrong": 0.5}])
def test_a_question_that_asks_nothing_is_refused(question: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest, match="nothing is asked"):
        plan(asked(**question))


@pytest.mark.parametrize(
    "question",
    [{"max_fpr": 0}, {"max_fpr": 1}, {"width": -1}, {"group_size": 0}, {"correlation": 2}, {"power": 1}, {"level": 1}],
)
def test_numbers_out_of_range_are_refused(question: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        asked(**question)


SHARES = st.floats(1e-6, 1 - 1e-6)


@settings(max_examples=60, deadline=None)
@given(
    limit=SHARES, expected=st.floats(0, 1), share=SHARES, power=st.floats(0.0001, 0.9999), level=st.floats(0.51, 0.999)
)
def test_every_question_has_a_plan_or_a_refusal(
    limit: float, expected: float, share: float, power: float, level: float
) -> None:
    question = asked(
        max_fpr=limit, expected_fpr=expected, width=share, share_wrong=share, power=power, level=level, group_size=1e6,
        correlation=1.0,
    )  # fmt: skip
    try:
        found = plan(question)
    except InvalidRequest:
        return
    assert found.wrong is not None
    assert found.responses >= found.wrong >= 1
