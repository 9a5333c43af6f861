"""A service that asks for keys: every place a key may be, every scope, revocation, and what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.services import Keyed

BODY = {"verifier": "math", "samples": [{"response": r"\boxed{5}", "reference": "5"}]}
RLHF = {"query": ["2+3?5"], "prompts": ["2+3?"], "labels": ["5"]}


@pytest.fixture(scope="module")
def admin(keyed: Keyed) -> str:
    """The first key, made on the machine that has the database."""
    return keyed.admin


@pytest.fixture
def http(keyed: Keyed) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=keyed.url, timeout=60.0, trust_env=False) as client:
        yield client


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def _make(http: httpx2.Client, admin: str, *scopes: str) -> dict[str, str]:
    answer = http.post("/v1/keys", json={"name": "test", "scopes": list(scopes)}, headers=_bearer(admin))
    assert answer.status_code == 201, answer.text
    made: dict[str, str] = answer.json()
    return made


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v1/verify"), ("POST", "/v1/rewards"), ("POST", "/t/math/openrlhf"), ("POST", "/v1/jobs")]
    + [("GET", path) for path in ("/v1/verifiers", "/v1/recipes", "/v1/runs", "/v1/jobs", "/v1/verdicts", "/v1/keys")]
    + [("GET", "/metrics")],
)
def test_without_a_key_nothing_is_answered_but_a_problem(http: httpx2.Client, method: str, path: str) -> None:
    answer = http.request(method, path, json=BODY if method == "POST" else None)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_health_needs_no_key(http: httpx2.Client, path: str) -> None:
    assert http.get(path).status_code == 200


def test_a_key_works_wherever_a_trainer_can_put_it(keyed: Keyed, http: httpx2.Client, admin: str) -> None:
    key = _make(http, admin, "score")["key"]
    userinfo = keyed.url.replace("http://", f"http://user:{key}@")
    for answer in (
        http.post("/v1/verify", json=BODY, headers=_bearer(key)),
        http.post(f"/v1/verify?key={key}", json=BODY),
        http.post(f"/k/{key}/v1/verify", json=BODY),
        http.post(f"/k/{key}/t/math/openrlhf?run=keys", json=RLHF),
        httpx2.post(f"{userinfo}/v1/verify", json=BODY, timeout=60.0, trust_env=False),
    ):
        assert answer.status_code == 200, answer.text


def test_a_wrong_key_is_refused(http: httpx2.Client, admin: str) -> None:
    for key in ("tw_wrong", admin + "x", "\u00e9"):
        answer = http.post(f"/k/{key}/v1/verify", json=BODY)
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("scope", "allowed", "forbidden"),
    [
        ("score", ["POST /v1/verify", "POST /v1/rewards"], ["GET /v1/keys", "GET /v1/verdicts", "GET /metrics"]),
        ("view", ["GET /v1/verdicts", "GET /metrics", "GET /v1/runs"], ["POST /v1/verify", "GET /v1/keys"]),
        ("label", [], ["POST /v1/verify", "GET /v1/verdicts", "GET /v1/keys"]),
        ("admin", ["POST /v1/verify", "GET /v1/verdicts", "GET /v1/keys"], []),
    ],
)
def test_scopes_allow_what_they_say(
    http: httpx2.Client, admin: str, scope: str, allowed: list[str], forbidden: list[str]
) -> None:
    key = _make(http, admin, scope)["key"]
    for route in [*allowed, *forbidden]:
        method, path = route.split()
        body = {**BODY, "recipe": "math"} if path == "/v1/rewards" else BODY
        body = {name: value for name, value in body.items() if path != "/v1/rewards" or name != "verifier"}
        answer = http.request(method, path, json=body if method == "POST" else None, headers=_bearer(key))
        assert answer.status_code == (200 if route in allowed else 403), (route, answer.text)


@pytest.mark.parametrize(
    "route", ["POST /v1/labels/draws", "DELETE /v1/audits/any", "POST /v1/references/any/reverify", "GET /v1/labels"]
)
def test_annotators_learn_nothing_of_what_was_said(http: httpx2.Client, admin: str, route: str) -> None:
    """Who draws learns from what is drawn what a verifier said of it, and an audit that ended has its report."""
    method, path = route.split()
    body = {"subject": {"verifier": "math"}, "rest": 1.0} if path.endswith("draws") else {}
    answers = [
        http.request(method, path, json=body, headers=_bearer(_make(http, admin, *scopes)["key"])).status_code
        for scopes in (["label"], ["view", "label"])
    ]
    assert answers[0] == 403
    assert answers[1] != 403


def test_a_revoked_key_is_refused_at_once(http: httpx2.Client, admin: str) -> None:
    made = _make(http, admin, "score")
    assert http.post("/v1/verify", json=BODY, headers=_bearer(made["key"])).status_code == 200
    revoked = http.delete(f"/v1/keys/{made['id']}", headers=_bearer(admin))
    assert revoked.json()["revoked_at"] is not None
    assert http.post("/v1/verify", json=BODY, headers=_bearer(made["key"])).status_code == 401


def test_keys_are_listed_without_their_text(http: httpx2.Client, admin: str) -> None:
    made = _make(http, admin, "view")
    listed = http.get("/v1/keys", headers=_bearer(admin))
    assert made["id"] in listed.text
    assert made["key"] not in listed.text


def test_unknown_keys_and_scopes_are_problems(http: httpx2.Client, admin: str) -> None:
    assert http.delete("/v1/keys/nothing", headers=_bearer(admin)).status_code == 404
    for body in ({"name": "x", "scopes": ["root"]}, {"name": "", "scopes": ["view"]}, {"name": "x", "scopes": []}):
        assert http.post("/v1/keys", json=body, headers=_bearer(admin)).status_code == 422


def test_neither_the_store_nor_the_log_has_a_key(keyed: Keyed, http: httpx2.Client, admin: str) -> None:
    key = _make(http, admin, "score")["key"]
    http.post(f"/k/{key}/v1/verify?key={key}", json=BODY)
    assert re.search(r"/k/\*\*\*/v1/verify|/v1/verify\?key=\*\*\*", keyed.log.read_text())
    for path in filter(Path.is_file, keyed.data_dir.rglob("*")):
        assert key.encode() not in path.read_bytes(), path.name


def test_another_owners_idempotency_key_is_another_key(http: httpx2.Client, admin: str) -> None:
    headers = [{**_bearer(_make(http, admin, "score")["key"]), "Idempotency-Key": "same"} for _ in range(2)]
    records = [
        http.post("/v1/verify", json=BODY, headers=one).json()["verdicts"][0]["record"] for one in [*headers, *headers]
    ]
    assert records[:2] == records[2:]
    assert records[0] != records[1]


def test_a_key_that_may_not_see_jobs_ends_only_its_own(http: httpx2.Client, admin: str) -> None:
    owner, stranger, viewer = (_make(http, admin, *scopes) for scopes in (["score"], ["score"], ["score", "view"]))
    job = http.post("/v1/jobs", json=BODY, headers=_bearer(owner["key"])).json()["id"]
    refused = http.delete(f"/v1/jobs/{job}", headers=_bearer(stranger["key"]))
    assert (refused.status_code, refused.json()["code"]) == (404, "not_found")
    for key in (owner, viewer):
        assert http.delete(f"/v1/jobs/{job}", headers=_bearer(key["key"])).json()["id"] == job
