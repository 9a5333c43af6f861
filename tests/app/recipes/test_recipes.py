"""Recipes over the wire: put, versions, files, deletion, validation, differences."""

from __future__ import annotations

import uuid
from typing import Any

import httpx2
import pytest
import yaml

from app.pages.recipes.service import text_of
from app.path.facts import FACTS
from rewards.recipe import parse_recipe
from rewards.recipe_yaml import parse_document, read
from tests.app.conftest import Api

RIGHT = {"prompt": "2+3?", "response": r"\boxed{5}", "reference": "5"}
WRONG = {"prompt": "2+3?", "response": r"\boxed{6}", "reference": "5"}
MATH = {"terms": ["math"]}
YAML = "description: mine\nterms:\n  math: 2\n"


@pytest.fixture
def name() -> str:
    return f"r-{uuid.uuid4().hex}"


def put(api: Api, name: str, body: dict[str, Any] | str, **query: str) -> httpx2.Response:
    if isinstance(body, str):
        headers = {"content-type": "application/yaml"}
        return api.http.put(f"/v1/recipes/{name}", content=body, headers=headers, params=query)
    return api.http.put(f"/v1/recipes/{name}", json=body, params=query)


def stored(api: Api, name: str, body: dict[str, Any] | str) -> dict[str, Any]:
    answer = put(api, name, body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def price(api: Api, recipe: object, *samples: dict[str, Any], run: str | None = None) -> httpx2.Response:
    return api.post("/v1/rewards", {"recipe": recipe, "samples": list(samples or (RIGHT,)), "run": run})


def rewards(api: Api, recipe: object, *samples: dict[str, Any]) -> list[float | None]:
    answer = price(api, recipe, *samples)
    assert answer.status_code == 200, answer.text
    return [reward["reward"] for reward in answer.json()["rewards"]]


def test_a_recipe_that_was_put_prices_at_once_and_is_shown(api: Api, name: str) -> None:
    made = stored(api, name, YAML)
    assert (made["name"], made["new"], made["warnings"]) == (name, True, [])
    assert rewards(api, name) == [2.0]
    shown = api.get(f"/v1/recipes/{name}").json()
    assert (shown["hash"], shown["recipe"]["description"]) == (made["hash"], "mine")
    assert name in [entry["name"] for entry in api.get("/v1/recipes").json()["recipes"]]


def test_the_same_content_is_not_new_and_a_new_description_is_kept(api: Api, name: str) -> None:
    first = stored(api, name, YAML)
    assert stored(api, name, YAML)["new"] is False
    assert len(api.get(f"/v1/recipes/{name}/versions").json()["versions"]) == 1
    again = stored(api, name, YAML.replace("mine", "ours"))
    assert (again["new"], again["hash"]) == (False, first["hash"])
    assert api.get(f"/v1/recipes/{name}").json()["recipe"]["description"] == "ours"


def test_older_versions_stay_at_hand_by_hash(api: Api, name: str) -> None:
    old, new = stored(api, name, MATH)["hash"], stored(api, name, YAML)["hash"]
    assert rewards(api, name) == [2.0]
    assert rewards(api, f"{name}@{old}") == [1.0]
    assert rewards(api, f"{name}@{old.removeprefix('sha256:')[:16]}") == [1.0]
    history = api.get(f"/v1/recipes/{name}/versions").json()["versions"]
    assert [(version["hash"], version["origin"]) for version in history] == [(new, "put"), (old, "put")]
    refused = price(api, f"{name}@0000")
    assert (refused.status_code, refused.json()["code"]) == (422, "unknown_recipe")
    assert new in refused.json()["detail"]


def test_two_names_may_have_one_content(api: Api, name: str) -> None:
    other = f"{name}-b"
    assert stored(api, name, MATH)["hash"] == stored(api, other, MATH)["hash"]
    assert api.get(f"/v1/recipes/{other}").json()["recipe"]["name"] == other


def test_names_of_files_cannot_be_put_or_deleted(api: Api) -> None:
    for answer in (put(api, "math", MATH), api.http.delete("/v1/recipes/math")):
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    [version] = api.get("/v1/recipes/math/versions").json()["versions"]
    assert version["origin"] == "file"


def test_a_deleted_recipe_is_refused_with_what_became_of_it(api: Api, name: str) -> None:
    digest = stored(api, name, YAML)["hash"]
    run = uuid.uuid4().hex
    assert price(api, name, run=run).status_code == 200
    gone = api.http.delete(f"/v1/recipes/{name}")
    assert (gone.status_code, gone.json()["hash"]) == (200, None)
    for recipe in (name, f"{name}@{digest}"):
        refused = price(api, recipe, run=run)
        assert (refused.status_code, refused.json()["code"]) == (422, "unknown_recipe")
        assert "was deleted" in refused.json()["detail"]
        assert digest in refused.json()["detail"]
        assert "pinned" in refused.json()["detail"]
    assert api.get(f"/v1/recipes/{name}").status_code == 404
    assert api.http.delete(f"/v1/recipes/{name}").status_code == 404
    assert [version["hash"] for version in api.get(f"/v1/recipes/{name}/versions").json()["versions"]] == [None, digest]
    assert stored(api, name, YAML)["new"] is True
    assert price(api, name, run=run).status_code == 200


def test_what_was_never_there_is_not_found(api: Api, name: str) -> None:
    for path in (name, f"{name}/versions", f"{name}/diff"):
        assert api.get(f"/v1/recipes/{path}").status_code == 404
    assert api.http.delete(f"/v1/recipes/{name}").status_code == 404


@pytest.mark.parametrize(
    ("body", "field", "line", "words"),
    [
        ("terms:\n  math: .nan\n", "recipe.terms.0.weight", 2, "finite"),
        ("terms:\n  - math\n  - verifier: format\n    gate: maths\n", "recipe.terms.1.gate", 4, "no term 'maths'"),
        ("terms:\n  - math\n  - nothing\n", "recipe.terms.1.verifier", 3, "no verifier 'nothing'"),
        ("terms:\n  math:\n    params: {colour: 1}\n", "recipe.terms.0.params.colour", 3, "no such parameter"),
        ("terms:\n  math: {fallback: oracle}\n", "recipe.terms.0.fallback.0.verifier", 2, "no verifier 'oracle'"),
        ("terms: math\nnoise: {audit: a1}\n", "recipe.terms.0.noise.audit", 2, "no completed audit"),
        ("terms: length\n", "recipe.terms.0", 1, "no bounds"),
        ("terms: [", "recipe", 1, "expected"),
        ('{"terms": ["math"],\n "colour": 1}', "recipe.colour", 2, "not permitted"),
        ('{"terms": [{"verifier": "math",\n "weight": NaN}]}', "recipe", None, "line 2"),
        ("[1]", "recipe", None, "object"),
        ("terms: math", "recipe", None, "application/yaml"),
    ],
)
def test_validation_names_field_and_line(api: Api, body: str, field: str, line: int | None, words: str) -> None:
    kind = "application/json" if line is None or body.startswith("{") else "application/yaml"
    answer = api.post("/v1/recipes/validate", raw=body.encode(), content_type=kind)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert (found["valid"], found["hash"]) == (False, None)
    [problem] = [problem for problem in found["problems"] if problem["field"] == field]
    assert problem["line"] == line
    assert words in problem["detail"]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"terms": [{"verifier": "math", "gate": "format"}, {"verifier": "format", "gate": "math"}]}, "cyclic_gate"),
        ({"terms": [{"verifier": "math", "gate": "math"}]}, "cyclic_gate"),
        ({"terms": [{"verifier": "math", "gate": "style"}]}, "unknown_term"),
        ({"terms": ["math"], "combine": {"base_and_bonus": {"base": "style"}}}, "unknown_term"),
        ({"terms": [{"verifier": "math", "weight": "NaN"}]}, "finite_number"),
        ({"terms": ["math"], "noise": {"audit": "a1"}}, "unknown_audit"),
        ({"terms": []}, "missing"),
    ],
)
def test_a_recipe_that_cannot_be_is_refused_everywhere(api: Api, name: str, body: dict[str, Any], code: str) -> None:
    for answer in (put(api, name, body), price(api, body)):
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_recipe")
        assert code in {problem["code"] for problem in answer.json()["errors"]}
    assert api.get(f"/v1/recipes/{name}").status_code == 404


def test_a_name_that_no_reference_could_hold_is_refused(api: Api) -> None:
    answer = put(api, "a@b", MATH)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "recipe.name")


def test_warnings_say_what_has_no_effect(api: Api, name: str) -> None:
    noisy = {**MATH, "noise": {"false_positive": 0.1, "false_negative": 0.2}}
    assert "dividing by the group's own spread" in put(api, name, noisy).json()["warnings"][0]
    assert "only scales" in put(api, name, noisy, estimator="centred").json()["warnings"][0]
    idle = {
        "routes": [{"when": {}, "terms": ["math"]}, {"when": {"data_source": "a"}, "terms": ["exact"]}],
        "terms": ["math", {"verifier": "format", "weight": 0}],
        "group": {"size": 4},
    }
    said = api.post("/v1/recipes/validate", idle).json()
    assert said["valid"] is True
    assert [warning.split(":")[0] for warning in said["warnings"]] == [
        "route 2 is never taken",
        "the default terms are never taken",
        "term 'format' weighs 0",
        "group.size makes one-sample requests wait for each other, and no reward here needs its group",
    ]


def test_differences_name_the_places(api: Api, name: str) -> None:
    old = stored(api, name, MATH)["hash"]
    refused = api.get(f"/v1/recipes/{name}/diff")
    assert (refused.status_code, "no other content" in refused.json()["detail"]) == (404, True)
    new = stored(api, name, {"terms": [{"verifier": "math", "weight": 2}]})["hash"]
    whole = {"before": old, "after": new, "changes": [{"place": "terms.0.weight", "before": 1.0, "after": 2.0}]}
    assert api.get(f"/v1/recipes/{name}/diff").json()["changes"][-1] == whole["changes"][0]
    turned = api.http.get(f"/v1/recipes/{name}/diff", params={"from": new, "to": old}).json()
    assert (turned["before"], turned["after"]) == (new, old)
    other = api.http.get(f"/v1/recipes/{name}/diff", params={"from": "math@"}).json()
    assert {"place": "terms.0.weight", "before": 1.0, "after": 2.0} in other["changes"]


def test_all_scores_missing_and_groups_of_one_are_results(api: Api) -> None:
    recipe = {"terms": ["math"], "shaping": ["z_score"], "missing": "mean", "group": {"rules": ["dynamic_sampling"]}}
    missing = {"prompt": "2+3?", "response": "5"}
    answer = price(api, recipe, missing, missing).json()
    assert [reward["reward"] for reward in answer["rewards"]] == [None, None]
    [group] = answer["groups"]
    assert (group["scored"], group["mean"], group["success_rate"], group["centred"]) == (0, None, None, [0.0, 0.0])
    alone = price(api, recipe, RIGHT).json()
    assert (alone["rewards"][0]["reward"], alone["groups"][0]["centred"]) == (0.0, [0.0])
    assert price(api, recipe).status_code == 200
    empty = api.post("/v1/rewards", {"recipe": recipe, "samples": []}).json()
    assert (empty["rewards"], empty["groups"]) == ([], [])


@pytest.mark.parametrize("text", ["yes", "0o17", "1e5", "1:59", "~", "010", "2026-11-25", "plain", "5", "a: b"])
def test_a_recipe_that_is_shown_as_yaml_reads_back_as_it_was(text: str) -> None:
    recipe = parse_recipe({"routes": [{"when": {"data_source": text}, "terms": ["exact"]}]}, FACTS)
    shown = text_of(recipe)
    assert parse_document(shown, recipe.name, FACTS).hash == recipe.hash
    assert yaml.safe_load(shown) == read(shown)[0]


@pytest.mark.parametrize(
    "text", ["a: 1" + ":59" * 20_000 + ".5", "a: !!int abc", "a: !!float '1:59.5'", "a: !!timestamp x"]
)
def test_a_hostile_scalar_is_refused_at_its_line_and_never_500(api: Api, name: str, text: str) -> None:
    answer = put(api, name, f"description: x\n{text}\n")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["line"] == 2
