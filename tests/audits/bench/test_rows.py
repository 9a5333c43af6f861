"""What is wrong with a row is said with its number and its field."""

from __future__ import annotations

from typing import Any

import pytest

from audits.bench.audit import COMPARED
from tests.audits.bench.scripted import benched, pair
from trueward.errors import InvalidRequest
from trueward.wire.audit import BenchFormat

GOOD: dict[str, dict[str, Any]] = {
    "pairs": pair("1", "0"),
    "best_of": pair("1", ["0"]),
    "one_against_many": pair("1", ["0"]),
    "style_grid": pair(["1", "2"], ["0", "1"]),
    "two_orders": pair("1", "0"),
    "contrast_swap": {"prompts": ["x", "y"], "responses": ["1", "0"]},
    "principle_swap": {"prompt": "x", "responses": ["1", "0"], "principles": ["p", "q"]},
    "first_error": {"prompt": "x", "steps": ["a", "b"], "label": 1},
    "verdicts": {"prompt": "x", "response": "correct", "right": True},
}

BAD: list[tuple[BenchFormat, dict[str, Any], str]] = [
    ("pairs", {"chosen": None}, "row 2: chosen"),
    ("pairs", {"chosen": []}, "row 2: chosen"),
    ("pairs", {"rejected": [1]}, "row 2: rejected"),
    ("pairs", {"prompt": 7}, "row 2: prompt"),
    ("pairs", {"prompt": [{"content": "no role"}]}, "row 2: prompt"),
    ("pairs", {"domain": "d" * 300}, "row 2: domain"),
    ("pairs", {"metadata": "text"}, "row 2: metadata"),
    ("best_of", {"chosen": ["1", "2"]}, "row 2: chosen: this format has one chosen response a row, this row has 2"),
    ("one_against_many", {"chosen": ["1", "2"]}, "row 2: chosen"),
    ("style_grid", {"rejected": ["1"]}, "row 2: rejected: has 1 responses"),
    ("style_grid", {"chosen": ["1", "2", "3"]}, "row 2: chosen: has 3 responses"),
    ("two_orders", {"rejected": ["1", "2"]}, "row 2: rejected: a pair has one response of each kind"),
    ("contrast_swap", {"prompts": ["x"]}, "row 2: prompts"),
    ("contrast_swap", {"references": ["x"]}, "row 2: references"),
    ("principle_swap", {"principles": ["x", "y", "z"]}, "row 2: principles"),
    ("first_error", {"label": 2}, "label 2 is no step: there are 2, counted from 0"),
    ("first_error", {"label": -2}, "row 2: label"),
    ("first_error", {"label": True}, "row 2: label"),
    ("first_error", {"steps": []}, "row 2: steps"),
    ("verdicts", {"right": "yes"}, "row 2: right"),
    ("verdicts", {"response": ["a"]}, "row 2: response"),
]


@pytest.mark.parametrize(("form", "change", "said"), BAD)
async def test_a_bad_row_is_named_with_its_field(form: BenchFormat, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        await benched(form, [GOOD[form], {**GOOD[form], **change}])
    assert said in refusal.value.detail
    assert all(problem.field.startswith("rows.1") for problem in refusal.value.errors)


@pytest.mark.parametrize("form", ["pairs", "first_error", "verdicts", "contrast_swap"])
async def test_an_empty_row_names_every_field_that_it_lacks(form: BenchFormat) -> None:
    with pytest.raises(InvalidRequest, match="more problem"):
        await benched(form, [{}])


async def test_many_bad_rows_are_counted_and_twenty_listed() -> None:
    with pytest.raises(InvalidRequest, match="99 more problems") as refusal:
        await benched("pairs", [{"prompt": "x", "chosen": "a"}] * 100)
    assert len(refusal.value.errors) == 20


@pytest.mark.parametrize(
    "ids",
    [["tied:1"], ["tied:1", "tied:1"], ["tied:1", "ref:2"], ["tied:1", "ref:1", "ref:1"]],
)
async def test_a_question_of_ties_needs_both_its_forms(ids: list[str]) -> None:
    with pytest.raises(InvalidRequest, match="needs one row of form tied and one of form reference"):
        await benched("ties", [pair(["1"], ["0"], id=name) for name in ids])


async def test_sections_are_limited() -> None:
    with pytest.raises(InvalidRequest, match="201 values of domain; at most 200"):
        await benched("pairs", [pair("1", "0", domain=str(number)) for number in range(201)])


async def test_fields_that_nobody_reads_are_named() -> None:
    report = await benched("pairs", [pair("1", "0", chosen_model="big", domian="maths")])
    assert any("chosen_model, domian" in note for note in report.notes)


def test_every_format_that_compares_is_known_by_its_name() -> None:
    assert set(GOOD) | {"ties"} == set(COMPARED) | {"first_error", "verdicts"}
