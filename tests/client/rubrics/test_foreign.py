"""Rubrics of others: read as their code reads them, and scored as it scores them."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from judges.rubric.aggregate import total
from trueward.rubrics import from_healthbench, from_open_instruct

HEALTHBENCH: dict[str, JsonValue] = {
    "prompt_id": "p-1",
    "prompt": [{"role": "user", "content": "Is it serious?"}],
    "example_tags": ["theme:emergency"],
    "rubrics": [
        {"criterion": "Advises to call an ambulance.", "points": 10, "tags": ["axis:accuracy"]},
        {"criterion": "Asks when it began.", "points": 5, "tags": []},
        {"criterion": "Recommends to wait.", "points": -8, "tags": ["axis:accuracy"]},
    ],
}
OPEN_INSTRUCT: dict[str, JsonValue] = {
    "query": "What is the capital?",
    "rubrics": [
        {"description": "Says Paris.", "weight": 1.0},
        {"rubric_item": "Says Lyon.", "weight": -0.5},
        {"description": "", "weight": 3.0},
        {"Ingredient": "Is short."},
    ],
}


def healthbench_score(met: list[bool]) -> float:
    """As its release computes that of one example."""
    items = HEALTHBENCH["rubrics"]
    assert isinstance(items, list)
    points = [item["points"] for item in items]  # type: ignore[index,call-overload]
    return sum(p for p, m in zip(points, met, strict=True) if m) / sum(p for p in points if p > 0)  # type: ignore[operator,misc]


@pytest.mark.parametrize("met", [[True, False, False], [True, True, True], [False, False, True], [False, True, True]])
def test_healthbench_scores_are_theirs_and_clipped(met: list[bool]) -> None:
    rubric = from_healthbench(HEALTHBENCH)
    found = total(rubric, {f"c{n}": float(one) for n, one in enumerate(met, start=1)})
    assert found.unclipped == pytest.approx(healthbench_score(met))
    assert found.score == pytest.approx(min(max(healthbench_score(met), 0), 1))


def test_healthbench_keeps_names_and_tags() -> None:
    rubric = from_healthbench(HEALTHBENCH)
    assert (rubric.name, rubric.scores, rubric.criteria[0].tags) == ("p-1", "binary", ["axis:accuracy"])


@pytest.mark.parametrize(
    "row",
    [
        OPEN_INSTRUCT,
        {"ground_truth": json.dumps(OPEN_INSTRUCT), "messages": []},
        {"ground_truth": [json.dumps(OPEN_INSTRUCT)]},
        json.dumps(OPEN_INSTRUCT),
    ],
)
def test_open_instruct_scores_are_theirs(row: JsonValue) -> None:
    """As its release computes them: scores of 2, 1 and 0 by 2, over the absolute weights of what has a text."""
    rubric = from_open_instruct(row)
    assert [(one.id, one.weighs) for one in rubric.criteria] == [("c1", 1.0), ("c2", -0.5), ("c4", 1.0)]
    assert rubric.scores == "graded"
    given = {"c1": 2 / 2, "c2": 1 / 2, "c4": 0 / 2}
    assert total(rubric, given).score == pytest.approx((1 * 1.0 + 0.5 * -0.5 + 0 * 1.0) / (1.0 + 0.5 + 1.0))


def test_the_worked_number_of_signed_weights() -> None:
    rubric = from_open_instruct({"rubrics": [{"description": "a", "weight": 1}, {"description": "b", "weight": -0.5}]})
    assert total(rubric, {"c1": 1.0, "c2": 0.5}).score == pytest.approx(0.5)


@pytest.mark.parametrize("row", [None, [], {}, {"rubrics": 1}, {"rubrics": [1]}, {"rubrics": [{"criterion": "x"}]}])
def test_rows_without_rubrics_are_refused(row: JsonValue) -> None:
    with pytest.raises(ValueError, match=r"rubric|row"):
        from_healthbench(row)


@pytest.mark.parametrize(
    "row",
    [
        None,
        "{",
        "[",
        [],
        {},
        {"rubrics": None},
        {"ground_truth": "no"},
        {"rubrics": [{"description": "x", "weight": "1"}]},
    ],
)
def test_labels_without_rubrics_are_refused(row: JsonValue) -> None:
    with pytest.raises(ValueError, match=r"label|rubric"):
        from_open_instruct(row)
