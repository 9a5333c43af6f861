"""POST /v1/rewards over the wire: whole, streamed, and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.rewards.examples import BODY
from tests.app.conftest import Api

RIGHT = {"prompt": "2+3?", "response": r"\boxed{5}", "reference": "5"}
WRONG = {"prompt": "2+3?", "response": r"\boxed{6}", "reference": "5"}
MISSING = {"prompt": "2+3?", "response": r"\boxed{6}"}
SYMBOLIC = {"prompt": "root?", "response": r"\boxed{\sqrt{20}}", "reference": r"2\sqrt{5}"}
HUNG_BOX = {"prompt": "no answer", "response": r"\boxed{", "reference": "5"}


def _rewards(api: Api, recipe: object, *samples: dict[str, Any], **rest: Any) -> dict[str, Any]:
    answer = api.post("/v1/rewards", {"recipe": recipe, "samples": list(samples), **rest})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_the_documented_example_is_priced(api: Api) -> None:
    answer = api.post("/v1/rewards", BODY).json()
    assert [reward["reward"] for reward in answer["rewards"]] == [1.0, 0.0]
    assert answer["rewards"][0]["components"] == {"math": 1.0}
    assert answer["recipe"].startswith("sha256:")
    (group,) = answer["groups"]
    assert (group["group"], group["size"], group["scored"], group["mean"]) == ("g1", 2, 2, 0.5)
    assert group["std"] == pytest.approx(0.70710678)
    assert not group["zero_variance"]
    assert (group["success_rate"], group["ids"], group["centred"]) == (0.5, ["a", "b"], [0.5, -0.5])


def test_a_reward_is_found_in_the_ledger_with_its_verdict(api: Api) -> None:
    [reward] = _rewards(api, "math", RIGHT)["rewards"]
    stored = api.get(f"/v1/verdicts/{reward['record']}")
    assert stored.status_code == 200
    assert "equal_integer" in stored.text


def test_missing_scores_stay_null_and_out_of_the_group(api: Api) -> None:
    answer = _rewards(api, "math", RIGHT, MISSING, WRONG)
    assert [reward["reward"] for reward in answer["rewards"]] == [1.0, None, 0.0]
    assert [reward["outcome"] for reward in answer["rewards"]] == ["correct", "abstained", "incorrect"]
    [group] = answer["groups"]
    assert (group["size"], group["scored"], group["mean"]) == (3, 2, 0.5)


def test_an_inline_recipe_prices_what_the_policy_made_unjudgeable(api: Api) -> None:
    recipe = {"name": "x", "range": [-1, 1], "terms": [{"verifier": "math", "weight": 1}], "missing": "mean"}
    answer = _rewards(api, recipe, RIGHT, MISSING, {**HUNG_BOX, "prompt": "2+3?"})
    assert [reward["reward"] for reward in answer["rewards"]] == [1.0, 0.0, -1.0]


def test_an_empty_batch_is_answered_with_nothing(api: Api) -> None:
    answer = _rewards(api, "math")
    assert (answer["rewards"], answer["groups"]) == ([], [])


def _lines(api: Api, *samples: dict[str, Any], recipe: object = "math") -> list[dict[str, Any]]:
    answer = api.post("/v1/rewards", {"recipe": recipe, "samples": list(samples)}, accept="application/x-ndjson")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def test_a_stream_has_each_reward_each_group_and_an_end(api: Api) -> None:
    lines = _lines(api, RIGHT, WRONG, SYMBOLIC, HUNG_BOX)
    rewards = {line["reward"]["id"]: line["reward"]["reward"] for line in lines if "reward" in line}
    assert rewards == {"0": 1.0, "1": 0.0, "2": 1.0, "3": 0.0}
    assert sum("group" in line for line in lines) == 3
    assert lines[-1] == {"end": {"recipe": _rewards(api, "math")["recipe"], "count": 4}}


def test_a_group_line_comes_after_its_last_reward(api: Api) -> None:
    seen = 0
    for line in _lines(
        api, *[{**SYMBOLIC, "response": rf"\boxed{{\sqrt{{{n * n * 7}}}}}", "group": "g"} for n in range(8)]
    ):
        seen += "reward" in line
        if "group" in line:
            assert (seen, line["group"]["size"]) == (8, 8)
            break
    else:
        pytest.fail("no group line")


def test_a_stream_settles_missing_scores_when_their_group_is_complete(api: Api) -> None:
    recipe = {"terms": [{"verifier": "math"}], "missing": "mean"}
    lines = _lines(api, MISSING, RIGHT, {**WRONG, "response": r"\boxed{\sqrt{2}}"}, recipe=recipe)
    rewards = {line["reward"]["id"]: line["reward"]["reward"] for line in lines if "reward" in line}
    assert rewards == {"0": 0.5, "1": 1.0, "2": 0.0}


def test_a_refused_stream_is_a_problem_document(api: Api) -> None:
    answer = api.post("/v1/rewards", {"recipe": "nothing", "samples": []}, accept="application/x-ndjson")
    assert (answer.status_code, answer.json()["code"]) == (422, "unknown_recipe")
    twice = {"recipe": "math", "samples": [{"id": "a"}, {"id": "a"}]}
    answer = api.post("/v1/rewards", twice, accept="application/x-ndjson")
    assert (answer.status_code, answer.json()["code"]) == (422, "duplicate_ids")


@pytest.mark.parametrize(
    ("recipe", "code"),
    [
        ("nothing", "unknown_recipe"),
        ("math@0000", "unknown_recipe"),
        ({"terms": []}, "invalid_recipe"),
        ({"terms": [{"verifier": "nothing"}]}, "invalid_recipe"),
        ({"terms": [{"verifier": "math", "params": {"colour": 1}}]}, "invalid_recipe"),
        ({"terms": [{"verifier": "math"}], "range": [1, 1]}, "invalid_recipe"),
        (5, "invalid_request"),
    ],
)
def test_a_bad_recipe_is_refused(api: Api, recipe: object, code: str) -> None:
    answer = api.post("/v1/rewards", {"recipe": recipe, "samples": [RIGHT]})
    assert (answer.status_code, answer.json()["code"]) == (422, code), answer.text


def test_recipes_are_listed_and_found_by_name_and_hash(api: Api) -> None:
    entries = {entry["name"]: entry for entry in api.get("/v1/recipes").json()["recipes"]}
    assert "math" in entries
    digest = entries["math"]["hash"].removeprefix("sha256:")
    assert api.get(f"/v1/recipes/math@{digest[:12]}").json() == entries["math"]
    assert api.get("/v1/recipes/nothing").status_code == 404
    assert _rewards(api, f"math@{digest[:12]}", RIGHT)["rewards"][0]["reward"] == 1.0
