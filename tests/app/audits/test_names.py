"""Audits and draws by what people call them, and recipes that keep the ids that this meant."""

from __future__ import annotations

import json
import uuid
from typing import Any

import httpx2
import pytest
from pydantic import JsonValue

from rewards.noise.rates import Rate, Rates
from tests.app.audits.test_rates import PLAIN, SLICED, completed

Service = tuple[httpx2.Client, str]
STATED: dict[str, JsonValue] = {"false_positive": 0.01, "false_negative": 0.1, "threshold": 0.5}


@pytest.fixture
def word() -> str:
    """A name that nothing else in the service has."""
    return f"w{uuid.uuid4().hex}"


def put(http: httpx2.Client, name: str, noise: dict[str, JsonValue], verifier: str = "math") -> httpx2.Response:
    return http.put(f"/v1/recipes/{name}", json={"terms": [{"verifier": verifier, "noise": noise}]})


def noise_of(http: httpx2.Client, name: str) -> dict[str, Any]:
    [term] = http.get(f"/v1/recipes/{name}").json()["recipe"]["terms"]
    noise: dict[str, Any] = term["noise"]
    return noise


def test_an_audit_is_shown_checked_and_reported_by_its_name_its_run_and_latest(service: Service, word: str) -> None:
    http, url = service
    first = completed(url, PLAIN, name=word, run=f"run-{word}")
    second = completed(url, PLAIN, run=f"run-{word}")
    wanted = {word: first, f"run-{word}": second, "latest": second, second[:-1]: second}
    assert {said: http.get(f"/v1/audits/{said}").json()["id"] for said in wanted} == wanted
    assert http.get(f"/v1/audits/{word}/report?format=json").json()["id"] == first
    assert http.get(f"/v1/audits/{word}/check?max_fpr=1").status_code == 200
    assert http.delete(f"/v1/audits/{word}").json()["id"] == first
    unknown = http.get("/v1/audits/nobody")
    assert (unknown.status_code, "by id, name, run" in unknown.json()["detail"]) == (404, True)
    again = completed(url, PLAIN, name=word)
    twice = http.get(f"/v1/audits/{word}")
    assert twice.status_code == 422
    assert f"2 audits are called '{word}'" in twice.json()["detail"]
    assert again in twice.json()["detail"]


def test_a_recipe_keeps_the_id_that_a_name_meant_when_it_was_put(service: Service, word: str) -> None:
    http, url = service
    other = completed(url, PLAIN, "numeric", name=word)
    first = completed(url, PLAIN, name=word)
    completed(url, None)  # measured nothing, so it is not the latest that a recipe can mean
    stored = put(http, f"by-name-{word}", {"audit": word})
    assert stored.status_code == 200, stored.text
    assert noise_of(http, f"by-name-{word}")["audit"] == first
    assert put(http, f"by-id-{word}", {"audit": first}).json()["hash"] == stored.json()["hash"]
    put(http, f"latest-{word}", {"audit": "latest"})
    completed(url, PLAIN)
    assert noise_of(http, f"latest-{word}")["audit"] == first
    put(http, f"numeric-{word}", {"audit": word}, "numeric")
    assert noise_of(http, f"numeric-{word}")["audit"] == other
    checked = http.post("/v1/recipes/validate", json={"terms": [{"verifier": "math", "noise": {"audit": word}}]})
    assert (checked.json()["valid"], checked.json()["hash"]) == (True, stored.json()["hash"])


def test_a_name_that_means_several_audits_or_none_is_refused_with_its_place(service: Service, word: str) -> None:
    http, url = service
    for _ in range(2):
        completed(url, PLAIN, name=word)
    for said, code, words in (
        (word, "ambiguous_audit", f"2 audits are called '{word}'"),
        (f"no-{word}", "unknown_audit", "GET /v1/audits"),
    ):
        refused = put(http, f"refused-{word}", {"audit": said})
        assert refused.status_code == 422
        [problem] = refused.json()["errors"]
        assert (problem["field"], problem["code"]) == ("recipe.terms.0.noise.audit", code)
        assert words in problem["detail"]


def test_a_recipe_in_a_request_names_audits_by_id_alone(service: Service, word: str) -> None:
    http, url = service
    completed(url, PLAIN, name=word)
    recipe = {"terms": [{"verifier": "math", "noise": {"audit": word}}]}
    refused = http.post("/v1/rewards", json={"recipe": recipe, "samples": [{"response": "5", "reference": "5"}]})
    [problem] = refused.json()["errors"]
    assert problem["code"] == "unknown_audit"
    assert "where a recipe is put" in problem["detail"]


def test_a_recipe_is_corrected_with_an_audit_by_one_request(service: Service, word: str) -> None:
    http, url = service
    audit = completed(url, SLICED, run=word)
    body = json.dumps({"audit": word, "name": word})
    answer = http.post("/v1/recipes/math/correct", content=body)  # as curl sends it, without a content type
    assert answer.status_code == 201, answer.text
    assert answer.json().items() >= {"name": word, "audit": audit, "new": True}.items()
    assert noise_of(http, word).items() >= {"audit": audit, "by": ["rule"], "method": "backward", "version": 3}.items()
    samples = [{"response": "\\boxed{5}", "reference": "5"}]
    [paid] = http.post("/v1/rewards", json={"recipe": word, "samples": samples}).json()["rewards"]
    assert paid["estimate"] == "audit:x[rule=boxed]"


def test_a_correction_keeps_the_settings_of_the_one_before(service: Service, word: str) -> None:
    http, url = service
    put(http, word, STATED)
    better = Rates(source="audit:y", pooled=Rate(false_positive=0.01, false_negative=0.02))
    audit = completed(url, better)
    found = http.post(f"/v1/recipes/{word}/correct", json={}).json()
    assert (found["name"], found["audit"]) == (f"{word}-corrected", audit)
    noise = noise_of(http, f"{word}-corrected")
    assert noise.items() >= {"audit": audit, "threshold": 0.5, "false_positive": None, "by": []}.items()
    assert http.post(f"/v1/recipes/{word}-corrected/correct", json={}).json()["name"] == f"{word}-corrected"


def test_terms_of_routes_are_corrected_and_those_of_other_verifiers_are_not(service: Service, word: str) -> None:
    http, url = service
    audit = completed(url, PLAIN, name=word)
    routed = {"when": {"data_source": "a"}, "terms": ["math", {"verifier": "format", "weight": 0.1}]}
    stored = http.put(f"/v1/recipes/{word}", json={"routes": [routed], "terms": ["exact"]})
    assert stored.status_code == 200, stored.text
    made = http.post(f"/v1/recipes/{word}/correct", json={"audit": word})
    assert made.status_code == 201, made.text
    recipe = http.get(f"/v1/recipes/{word}-corrected").json()["recipe"]
    terms = [*recipe["routes"][0]["terms"], *recipe["terms"]]
    assert [(one["verifier"], one["noise"] and one["noise"]["audit"]) for one in terms] == [
        ("math", audit),
        ("format", None),
        ("exact", None),
    ]


def test_what_cannot_be_corrected_is_refused(service: Service, word: str) -> None:
    http, url = service
    completed(url, PLAIN)
    put(http, word, STATED, "sql")
    none = http.post(f"/v1/recipes/{word}/correct", json={"audit": word})
    assert none.status_code == 422
    assert "measured rates of sql" in none.json()["detail"]
    assert http.post(f"/v1/recipes/no-{word}/correct", json={}).status_code == 404
    assert http.post("/v1/recipes/math/correct", json={"name": "dapo"}).status_code == 409


def test_a_draw_is_named_as_an_audit_is(service: Service, word: str) -> None:
    http, _ = service
    samples = [{"response": f"{n}", "reference": "1"} for n in range(4)]
    http.post("/v1/verify", json={"verifier": "math", "run": word, "samples": samples})
    asked = {"subject": {"verifier": "math"}, "population": {"run": word}, "rest": 1, "name": f"n-{word}"}
    draw = http.post("/v1/labels/draws", json=asked).json()["id"]
    for said in ("latest", word, f"n-{word}", draw[:-1]):
        assert http.get("/v1/labels/agreement", params={"draw": said}).json()["draw"] == draw
        assert http.get(f"/v1/labels/draws/{said}").json()["id"] == draw
    assert http.get("/v1/labels/agreement", params={"draw": f"no-{word}"}).status_code == 404
