"""Runs: the first request pins, another recipe is a conflict, and moving the pin is on record."""

from __future__ import annotations

import uuid

from tests.app.conftest import Api

SAMPLE = {"response": r"\boxed{5}", "reference": "5"}
OTHER = {"terms": [{"verifier": "math"}], "invalid": -1}


def _reward(api: Api, run: str, recipe: object) -> int:
    return api.post("/v1/rewards", {"recipe": recipe, "run": run, "samples": [SAMPLE]}).status_code


def test_the_first_request_pins_recipe_and_verifier_versions(api: Api) -> None:
    run = uuid.uuid4().hex
    recipe = api.post("/v1/rewards", {"recipe": "math", "run": run, "samples": [SAMPLE]}).json()["recipe"]
    shown = api.get(f"/v1/runs/{run}").json()
    assert shown["recipe"] == recipe
    assert set(shown["verifiers"]) == {"math"}
    assert run in api.get("/v1/runs?limit=1000").text


def test_another_recipe_is_a_conflict_until_the_pin_is_moved_on_record(api: Api) -> None:
    run = uuid.uuid4().hex
    assert _reward(api, run, "math") == 200
    refused = api.post("/v1/rewards", {"recipe": OTHER, "run": run, "samples": [SAMPLE]})
    assert (refused.status_code, refused.json()["code"]) == (409, "run_pinned")
    moved = api.http.put(f"/v1/runs/{run}", json={"recipe": OTHER, "reason": "price invalid at -1"})
    assert moved.status_code == 200, moved.text
    assert moved.json()["marks"][-1]["reason"] == "price invalid at -1"
    assert _reward(api, run, OTHER) == 200
    assert _reward(api, run, "math") == 409


def test_a_run_that_verified_first_may_choose_its_recipe_once(api: Api) -> None:
    run = uuid.uuid4().hex
    assert api.post("/v1/verify", {"verifier": "math", "run": run, "samples": [SAMPLE]}).status_code == 200
    assert _reward(api, run, "math") == 200
    assert _reward(api, run, OTHER) == 409


def test_an_unknown_run_is_not_found(api: Api) -> None:
    assert api.get("/v1/runs/nothing").status_code == 404


def test_a_pin_needs_a_reason(api: Api) -> None:
    assert api.http.put("/v1/runs/x", json={"recipe": "math"}).status_code == 422


def test_a_run_may_be_named_like_a_path(api: Api) -> None:
    run = f"team/{uuid.uuid4().hex}/seed 1"
    assert _reward(api, run, "math") == 200
    assert api.get(f"/v1/runs/{run}").json()["id"] == run
    assert api.http.put(f"/v1/runs/{run}", json={"strict": True, "reason": "reproduce"}).json()["strict"] is True
