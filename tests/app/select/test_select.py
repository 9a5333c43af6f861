"""POST /v1/select: scores, votes, classes by a verifier, and what has no answer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.app.conftest import Api


def candidates(*responses: str, **shared: Any) -> list[dict[str, Any]]:
    return [{"id": f"c{place}", "prompt": "p?", "response": text, **shared} for place, text in enumerate(responses)]


def selected(api: Api, method: str, rows: list[dict[str, Any]], **rest: Any) -> dict[str, Any]:
    answer = api.post("/v1/select", {"method": method, "candidates": rows, **rest})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


HALVES = candidates(r"\boxed{2}", r"\boxed{0.5}", r"so \boxed{\frac12}", r"\boxed{2}", r"\boxed{\frac{3}{6}}")


def test_best_of_takes_the_highest_score_and_never_a_missing_one(api: Api) -> None:
    found = selected(api, "best_of", HALVES, scores=[0.1, None, 7, 7, -1])
    assert (found["chosen"], found["comparisons"], found["classes"]) == ("c2", 0, [])
    assert found["scores"] == {"c0": 0.1, "c1": None, "c2": 7.0, "c3": 7.0, "c4": -1.0}
    assert selected(api, "best_of", HALVES, scores=[None] * 5)["chosen"] is None


def test_best_of_may_ask_a_recipe_or_a_verifier(api: Api) -> None:
    rows = candidates(r"\boxed{2}", r"\boxed{0.5}", r"\boxed{1/2}", reference="1/2")
    short = {"terms": ["math", {"verifier": "length", "weight": -0.01}], "invalid": -1}
    found = selected(api, "best_of", rows, recipe=short)
    assert found["chosen"] == "c1"
    assert found["scores"]["c1"] == found["scores"]["c2"] == pytest.approx(1 - 0.01 * len(r"\boxed{0.5}"))
    assert selected(api, "best_of", rows, verifier="math")["scores"] == {"c0": 0.0, "c1": 1.0, "c2": 1.0}


def test_a_majority_counts_equivalent_answers_not_equal_texts(api: Api) -> None:
    found = selected(api, "majority", HALVES, verifier="math")
    assert (found["chosen"], found["share"], found["tied"]) == ("c1", 0.6, False)
    assert [(one["ids"], one["answer"], one["votes"]) for one in found["classes"]] == [
        (["c0", "c3"], "2", 2.0),
        (["c1", "c2", "c4"], "0.5", 3.0),
    ]
    assert found["comparisons"] == 5 + 4 + 2
    by_text = selected(api, "majority", HALVES, verifier="exact")
    assert (by_text["chosen"], len(by_text["classes"])) == ("c0", 4)


def test_scores_choose_among_the_majority(api: Api) -> None:
    found = selected(api, "majority", HALVES, verifier="math", scores=[9, 0, 1, 9, 3])
    assert found["chosen"] == "c4"


def test_a_weighted_vote_adds_scores(api: Api) -> None:
    found = selected(api, "weighted_vote", HALVES, verifier="math", scores=[0.9, 0.1, 0.2, 0.8, None])
    assert found["chosen"] == "c0"
    assert [one["votes"] for one in found["classes"]] == pytest.approx([1.7, 0.3])
    assert found["share"] == pytest.approx(0.85)


def test_a_tie_is_named_and_goes_to_the_earlier(api: Api) -> None:
    found = selected(api, "majority", HALVES[:2], verifier="math")
    assert (found["chosen"], found["tied"], found["share"]) == ("c0", True, 0.5)


def test_a_response_without_an_answer_has_no_vote_and_is_named(api: Api) -> None:
    hedged = r"\boxed{1}, or \boxed{2}, or \boxed{3}"
    rows = candidates("I give up.", "", hedged, r"\boxed{4}")
    found = selected(api, "majority", rows, verifier="math", params={"hedge": "strict"})
    assert (found["chosen"], found["share"]) == ("c3", 1.0)
    assert {one["id"]: one["outcome"] for one in found["without_class"]} == dict.fromkeys(["c0", "c1", "c2"], "invalid")
    nobody = selected(api, "majority", candidates("I give up.", ""), verifier="math")
    assert (nobody["chosen"], nobody["classes"], nobody["share"], nobody["tied"]) == (None, [], None, False)


def test_a_comparison_without_a_result_is_named_and_makes_no_class(api: Api) -> None:
    rows = candidates("The answer is A", "The answer is (A)", "The answer is 7")
    found = selected(api, "majority", rows, verifier="choice", answers=["A", "A", "seven"])
    assert found["chosen"] == "c0"
    assert next(one["ids"] for one in found["classes"]) == ["c0", "c1"]
    rows = candidates(*[rf"\boxed{{{n}}}" for n in range(3)])
    found = selected(api, "majority", rows, verifier="math", answers=[{"a": 1}, {"a": 1}, {"a": 1}])
    assert len(found["classes"]) == 3
    assert {(one["id"], one["against"], one["outcome"]) for one in found["uncompared"]} == {
        ("c1", "c0", "abstained"),
        ("c2", "c0", "abstained"),
        ("c2", "c1", "abstained"),
    }


def test_any_verifier_can_compare(api: Api) -> None:
    rows = candidates("Paris", "paris.", "London")
    found = selected(api, "majority", rows, verifier="qa")
    assert [one["ids"] for one in found["classes"]] == [["c0", "c1"], ["c2"]]


def test_every_comparison_is_recorded_and_bounded(api: Api) -> None:
    rows = candidates(*[rf"\boxed{{{n}}}" for n in range(12)])
    found = selected(api, "majority", rows, verifier="math", run="select-all")
    assert found["comparisons"] == 12 + 12 * 11 // 2
    listed = api.get("/v1/verdicts?run=select-all&limit=1000").json()["verdicts"]
    assert len(listed) == found["comparisons"]


@pytest.mark.parametrize(
    "body",
    [
        {"method": "best_of"},
        {"method": "best_of", "scores": [1, 2, 3, 4, 5], "verifier": "math"},
        {"method": "best_of", "scores": [1]},
        {"method": "majority"},
        {"method": "weighted_vote", "verifier": "math"},
        {"method": "weighted_vote", "verifier": "math", "scores": [1, 1, -1, 1, 1]},
        {"method": "majority", "verifier": "math", "answers": ["1"]},
        {"method": "majority", "verifier": "nothing"},
        {"method": "best_of", "recipe": "nothing"},
        {"method": "majority", "verifier": "math", "params": {"colour": 1}},
        {"method": "majority", "verifier": "math", "candidates": []},
        {"method": "majority", "verifier": "math", "candidates": [{"response": "1"}] * 257},
        {"method": "majority", "verifier": "math", "candidates": [{"id": "a"}, {"id": "a"}]},
        {"method": "majority", "verifier": "math", "candidates": [{"prompt": "a"}, {"prompt": "b"}]},
    ],
)
def test_what_cannot_be_selected_from_is_refused(api: Api, body: dict[str, Any]) -> None:
    answer = api.post("/v1/select", {"candidates": HALVES, **body})
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"]


def test_negative_rewards_of_a_recipe_are_no_votes(api: Api) -> None:
    rows = candidates(r"\boxed{2}", r"\boxed{3}", reference="2")
    recipe = {"terms": [{"verifier": "math", "weight": -1}], "range": [-1, 0]}
    answer = api.post(
        "/v1/select", {"method": "weighted_vote", "verifier": "math", "recipe": recipe, "candidates": rows}
    )
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "negative_score")
