"""A recorded reward, explained line by line from the ledger."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.conftest import Api

RIGHT = {"prompt": "2+3?", "response": r"<think>a</think><answer>5</answer>", "reference": "5", "data_source": "gsm8k"}
WRONG = {**RIGHT, "response": r"\boxed{6}"}
RECIPE = {
    "name": "shown",
    "routes": [{"when": {"data_source": "gsm8k"}, "terms": {"math": 1, "format": {"weight": 0.5, "gate": "math"}}}],
    "shaping": ["z_score"],
}


def priced(api: Api, recipe: object, *samples: dict[str, Any], **rest: Any) -> list[dict[str, Any]]:
    answer = api.post("/v1/rewards", {"recipe": recipe, "samples": list(samples), **rest})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["rewards"]
    return found


def explained(api: Api, reward: dict[str, Any]) -> dict[str, Any]:
    answer = api.get(f"/v1/verdicts/{reward['record']}/explanation")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_every_step_has_its_line(api: Api) -> None:
    right, wrong = priced(api, RECIPE, RIGHT, WRONG, step=3)
    shown = explained(api, right)
    assert (shown["recipe_name"], shown["step"], shown["agrees"]) == ("shown", 3, True)
    assert shown["reward"] == right["reward"]
    assert shown["lines"] == [
        "route: number 1, by data_source",
        "math: correct, score 1 (equal_integer)",
        "format: correct, score 1 (well_formed)",
        "math: weight 1: 1 -> 1",
        "format: weight 0.5: 1 -> 0.5",
        "reward: sum: 1.5",
        "reward: z_score: 1.5 -> 0.707106",
        "reward: 0.707106",
    ]
    assert "format: not judged" in explained(api, wrong)["lines"]


@pytest.mark.parametrize("group", [None, "g"])
def test_the_group_is_that_of_its_own_request(api: Api, group: str | None) -> None:
    rows = [{**row, "group": group} for row in (RIGHT, WRONG, RIGHT)]
    first = priced(api, RECIPE, *rows)
    second = priced(api, RECIPE, rows[0])
    assert [explained(api, reward)["agrees"] for reward in (*first, *second)] == [True] * 4
    assert explained(api, second[0])["lines"][-1] == "reward: 0"


def test_a_course_without_its_group_is_explained_beside_one_with(api: Api) -> None:
    routes = [{"when": {"data_source": "gsm8k"}, "terms": "math", "shaping": ["z_score"]}]
    rows = [RIGHT, {**WRONG, "data_source": "else"}, WRONG]
    _, plain, _ = priced(api, {"routes": routes, "terms": {"math": 0.5}}, *rows)
    shown = explained(api, plain)
    assert shown["lines"] == [
        "route: the default",
        "math: incorrect, score 0 (unequal_rational)",
        "math: weight 0.5: 0 -> 0",
        "reward: 0",
    ]


def test_a_missing_reward_says_why(api: Api) -> None:
    lost, unrouted = priced(api, RECIPE, {**RIGHT, "reference": None}, {**RIGHT, "data_source": "else"})
    assert explained(api, lost)["lines"][-1].startswith("reward: none (abstained, no_reference): ")
    assert explained(api, unrouted)["lines"][-1].startswith("reward: none (abstained, no_route): no route")
    assert explained(api, unrouted)["agrees"] is True


def test_a_verdict_has_no_arithmetic(api: Api) -> None:
    [verdict] = api.post("/v1/verify", {"verifier": "math", "samples": [RIGHT]}).json()["verdicts"]
    for record in (verdict["record"], "nothing"):
        answer = api.get(f"/v1/verdicts/{record}/explanation")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_a_recipe_that_was_deleted_still_explains_what_it_paid(api: Api) -> None:
    api.http.put("/v1/recipes/soon-gone", json={"terms": {"math": 3}})
    [reward] = priced(api, "soon-gone", RIGHT)
    assert api.http.delete("/v1/recipes/soon-gone").status_code == 200
    shown = explained(api, reward)
    assert (shown["recipe_name"], shown["lines"][-1], shown["agrees"]) == ("soon-gone", "reward: 3", True)
