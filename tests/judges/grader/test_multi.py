"""Several graders and a formula: a part that fails, and whose doing it is."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue, ValidationError

from judges.base import ModelUnavailable
from judges.questions import Answer
from tests.judges.grader.graders import check, graded, label, multi, score, similar, verifier
from tests.judges.replies import Replies
from trueward.wire.verdict import Outcome

NAME = similar("fuzzy_match") | {"input": "{{sample.output_json.name}}", "reference": "{{item.name}}"}
EMAIL = check("eq", "{{sample.output_json.email}}", "{{item.email}}")
ITEM: JsonValue = {"name": "John Doe", "email": "john@x.invalid"}
BOTH = multi("(name + email) / 2", name=NAME, email=EMAIL)


def said(name: str = "John Doe", email: str = "john@x.invalid") -> str:
    return json.dumps({"name": name, "email": email})


def half(text: str) -> str:
    return '{"steps": [], "result": 0.5}' if '"result"' in text else '{"steps": [], "label": "good"}'


def down(text: str) -> Answer:
    raise ModelUnavailable("its device is gone")


def test_the_reward_is_the_formula_s_of_the_parts() -> None:
    verdict = graded(BOTH, said("John Dee"), ITEM)
    assert verdict.outcome is Outcome.SCORED
    assert verdict.score == pytest.approx((0.875 + 1) / 2)  # fuzzy: 1 - 2 / 16
    assert verdict.evidence["sub_rewards"] == {"name": 0.875, "email": 1.0}


def test_parts_that_ask_models_are_told_together() -> None:
    grader = multi("max(s, l) - c", s=score("Judge"), l=label(), c=check("eq"))
    verdict = graded(grader, "fine", {"answer": "4"}, Replies(half))
    assert verdict.score == 1
    assert verdict.evidence["models"]["judge"]["calls"] == 2  # type: ignore[index,call-overload]


@pytest.mark.parametrize("formula", ["(name + email) / 2", "name", "1 - email", "abs(name - 1)"])
def test_a_part_that_the_response_fails_is_worth_nothing_whatever_the_formula(formula: str) -> None:
    verdict = graded(multi(formula, name=NAME, email=EMAIL), '{"name": "John Doe"}', ITEM)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.INVALID, 0.0, "no_variable")


def test_a_part_that_the_caller_left_out_makes_the_whole_missing() -> None:
    assert graded(BOTH, said(), {"name": "John Doe"}).outcome is Outcome.ABSTAINED


def test_a_part_whose_model_is_down_makes_the_whole_missing() -> None:
    verdict = graded(multi("c + 0 * s", s=score("Judge"), c=check()), "4", {"answer": "4"}, Replies(down))
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "model_unavailable")


def test_a_formula_without_a_value_for_this_response_is_no_way_out() -> None:
    grader = multi("1 / c", c=check())
    assert graded(grader, "4", {"answer": "4"}).score == 1
    verdict = graded(grader, "5", {"answer": "4"})
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INVALID, "formula_undefined")


def test_a_judge_that_is_broken_for_all_is_ours_though_the_program_fails_too() -> None:
    failing: dict[str, JsonValue] = {"type": "python", "source": "def grade(sample, item): return 1"}
    verdict = graded(multi("p + s", p=failing, s=score("Judge")), "fine", None, Replies(lambda text: "no"))
    assert verdict.outcome is Outcome.ERROR


@pytest.mark.parametrize(
    "grader",
    [
        multi("a + b", a=check()),
        multi("a +", a=check()),
        multi("1"),
        multi("min", min=check()),
        multi("a", a=multi("b", b=check())),
        multi("a", **{"a": check(), "b c": check()}),
        multi("a", a={**check(), "operation": "neq"}),
        {**multi("a", a=check()), "graders": [check()]},
        {**multi("a", a=check()), "graders": check()},
        {**multi("a", a=check()), "invalid_grade": 0},
    ],
)
def test_what_cannot_be_computed_is_refused(grader: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        verifier(grader)


def test_the_place_of_a_model_is_told() -> None:
    assert verifier(multi("s", s=score(), c=check())).place("judge") == "grader.graders.s.model"
    assert verifier(score()).place("judge") == "grader.model"
    assert verifier(multi("s", s=score(), c=check(), l=label())).models == ("judge",)
    assert verifier(check()).models == ()
