"""Every list that grows is read in the same way: so many at a time, from behind an entry, made within a time."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from tests.app.conftest import Api
from tests.each import check_each
from tests.openapi import paths

SLICE = ("after", "limit", "since", "until")
TIMELESS = {"/v1/prompts", "/v1/rubrics/correlation"}
"""They have pages; what they count was made at many times."""
WHOLE = {
    "/v1/verifiers",
    "/v1/presets",
    "/v1/languages",
    "/v1/models",
    "/v1/recipes",
    "/v1/recipes/{name}/versions",
    "/v1/watches",
    "/v1/freezes",
    "/v1/keys",
    "/v1/projects",
    "/v1/references/suspects",
}
"""What somebody set up, and a report: they come whole."""


def lists() -> dict[str, dict[str, Any]]:
    """The parameters in the query of each operation that lists, by path."""
    return {
        path: {
            one["name"]: {**one, "example": None} for one in many["get"].get("parameters", ()) if one["in"] == "query"
        }
        for path, many in paths().items()
        if "get" in many and ("list_" in many["get"]["operationId"] or path in TIMELESS)
    }


def growing() -> list[str]:
    return [path for path in lists() if path not in WHOLE | TIMELESS]


def entries(told: dict[str, Any]) -> list[dict[str, Any]]:
    [found] = [value for name, value in told.items() if name != "next"]
    listed: list[dict[str, Any]] = found
    return listed


@pytest.fixture(scope="module")
def filled(api: Api) -> Api:
    """A service whose lists have two entries or more; alarms come of themselves alone."""
    for _ in range(2):
        run = uuid.uuid4().hex
        sample = {"response": "\\boxed{1}", "reference": "1", "prompt": run}
        [verdict] = api.post("/v1/verify", {"verifier": "math", "run": run, "samples": [sample]}).json()["verdicts"]
        of_math = {"verifier": "math"}
        corrected = {"record": verdict["record"], "reference": "2", "reason": "it was wrong", "annotator": "ann"}
        for path, body in {
            "/v1/rewards": {"recipe": "math", "run": run, "samples": [sample]},
            "/v1/jobs": {**of_math, "samples": [sample], "webhook": "http://127.0.0.1:9/"},
            "/v1/labels": {"labels": [{"record": verdict["record"], "right": True, "annotator": run}]},
            "/v1/labels/draws": {"subject": of_math, "population": {"run": run}, "rest": 1.0},
            "/v1/audits": {"audit": {"kind": "labelled", "subject": of_math}},
            "/v1/deletions": {"run": uuid.uuid4().hex},
        }.items():
            assert api.post(path, body).is_success, path
        assert api.http.put("/v1/references", json=corrected).is_success
    return api


def test_every_list_has_the_same_parameters() -> None:
    listed = lists()
    assert listed.keys() >= WHOLE | TIMELESS
    wanted = {name: listed["/v1/jobs"][name] for name in SLICE}

    def as_all_do(path: str) -> None:
        assert {name: listed[path].get(name) for name in SLICE} == wanted

    check_each(((path, path) for path in growing()), as_all_do)
    assert [path for path in WHOLE if listed[path].keys() & set(SLICE)] == []


def test_pages_follow_one_another_and_end(filled: Api) -> None:
    def page_by_page(path: str) -> None:
        together = filled.http.get(path, params={"limit": 2}).json()
        first = filled.http.get(path, params={"limit": 1}).json()
        second = filled.http.get(path, params={"limit": 1, "after": first["next"]}).json()
        assert [*entries(first), *entries(second)] == entries(together)
        assert len(entries(together)) == 2
        names, following = [], first["next"]
        while following is not None:
            page = filled.http.get(path, params={"limit": 1000, "after": following}).json()
            names += [json.dumps(entry, sort_keys=True) for entry in entries(page)]
            following = page["next"]
        assert len(set(names)) == len(names) > 0

    check_each(((path, path) for path in growing() if path != "/v1/alarms"), page_by_page)


def test_a_list_is_narrowed_to_what_was_made_within_a_time(filled: Api) -> None:
    def within(path: str) -> None:
        def count(**asked: str) -> int:
            return len(entries(filled.http.get(path, params=asked).json()))

        assert count(since="2200-01-01") == 0
        assert count(until="2001-01-01T00:00:00Z") == 0
        # the runs of other tests may have raised alarms, or not
        assert count(since="2001-01-01", until="2200-01-01", limit="2") in ({0, 1, 2} if path == "/v1/alarms" else {2})

    check_each(((path, path) for path in growing()), within)


def test_a_moment_that_is_none_names_its_field(api: Api) -> None:
    for moment in ("yesterday", "0001-01-01"):
        refused = api.http.get("/v1/jobs", params={"since": moment})
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "query.since")
