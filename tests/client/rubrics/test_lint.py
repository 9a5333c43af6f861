"""What lint finds, and what it leaves alone."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from trueward.rubrics import lint


def codes(*criteria: JsonValue, **fields: JsonValue) -> list[tuple[str, str]]:
    return [(one.place, one.code) for one in lint({"criteria": [*criteria], **fields})]


SIGNED: dict[str, JsonValue] = {"weight_mode": "signed_abs_norm"}


def test_a_rubric_that_is_well_has_no_findings() -> None:
    rubric = [
        {"text": "States that the boiling point of water falls with altitude.", "category": "essential"},
        {"text": "Gives the boiling point at 3000 m as about 90 degrees Celsius.", "category": "important"},
        {"text": "Points out that the recipe's cooking time is wrong at that altitude.", "category": "optional"},
        {"text": "Avoids claiming that pressure has no influence.", "category": "pitfall"},
    ]
    assert codes(*rubric) == []  # type: ignore[arg-type]


def test_faults_below_zero_are_well_too() -> None:
    assert codes("Names the dose.", {"text": "Mentions the wrong drug.", "weight": -2}, **SIGNED) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Mentions the wrong drug.", "fault_is_paid"),
        ("Fails to mention the dose.", "fault_is_paid"),
        ("Is overly verbose.", "fault_is_paid"),
        ("Is better than the reference.", "not_in_the_response"),
        ("The user is satisfied.", "not_in_the_response"),
        ("Mentions the dose and explains the risk.", "two_questions"),
        ("Names the dose; names the risk.", "two_questions"),
        ("Long. " * 90, "too_long"),
    ],
)
def test_what_is_wrong_with_one_criterion(text: str, code: str) -> None:
    assert ("c1", code) in codes(text)


@pytest.mark.parametrize(
    "text", ["Mentions cats and dogs.", "Identifies the error in the proof.", "Does not blame the user."]
)
def test_what_looks_wrong_and_is_not(text: str) -> None:
    assert codes(text) == []


def test_a_pitfall_that_does_not_avoid_is_paid() -> None:
    assert codes({"text": "Recommends aspirin.", "category": "pitfall"}) == [("c1", "fault_is_paid")]
    assert codes({"text": "Does not recommend aspirin.", "category": "pitfall"}) == []


def test_a_virtue_below_zero_is_punished() -> None:
    assert codes("x y", {"text": "Avoids jargon.", "weight": -1}, **SIGNED) == [("c2", "virtue_is_punished")]
    assert codes("x y", {"text": "Fails to avoid jargon.", "weight": -1}, **SIGNED) == []


def test_weights_that_change_nothing() -> None:
    assert codes({"text": "a b", "weight": 0}, "c d") == [("c1", "no_effect")]
    assert codes({"text": "a b", "weight": 0.001}, "c d") == [("c1", "no_effect")]


@pytest.mark.parametrize("fields", [{"weight_mode": "signed_abs_norm"}, {"weight_mode": "signed_pos_norm_clip"}])
def test_a_rubric_without_anything_to_earn(fields: dict[str, JsonValue]) -> None:
    assert ("", "no_positive_weight") in codes({"text": "Rambles.", "weight": -1}, **fields)
    assert codes() == [("", "empty")]


def test_criteria_that_say_the_same() -> None:
    same = codes("Mentions the dose of the drug.", "mentions the dose, of the drug!")
    assert same == [("c2", "duplicate")]
    near = codes(
        "Mentions the recommended daily dose of ibuprofen.",
        "The response mentions the daily recommended dose of ibuprofen clearly.",
    )
    assert near == [("c2", "near_duplicate")]


def test_another_number_or_a_negation_is_another_criterion() -> None:
    assert codes("States the daily dose is 200 mg for adults.", "States the daily dose is 400 mg for adults.") == []
    assert codes("Mentions the recommended daily dose.", "Never mentions the recommended daily dose.") == []


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "duplicate_id"),
        ([{"text": ""}], "string_too_short"),
        ([{"text": "x", "weight": -1}], "negative_weight"),
        ([{"text": "x", "weight": 1, "category": "pitfall"}], "two_weights"),
        (7, "list_type"),
    ],
)
def test_what_cannot_be_read_is_an_error(document: JsonValue, code: str) -> None:
    found = lint(document)
    assert [(one.level, one.code) for one in found] == [("error", code)]


def test_many_long_criteria_take_no_time() -> None:
    """Of 256 there are 32,640 pairs."""
    rubric: list[JsonValue] = [f"States fact number {n} of the list, " + "word " * 700 for n in range(256)]
    assert {one.code for one in lint(rubric)} == {"too_long"}
