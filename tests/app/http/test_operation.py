"""What all operations have in common: no parameter that nobody reads, and a document that generators take."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import httpx2
import pytest

from app.main import create_app
from app.settings import Settings
from tests.app.conftest import Api
from tests.openapi import document
from tests.services import Keyed

OPEN = {"live", "ready", "health"}
"""Operations that never ask for a key."""
FOREIGN = re.compile(
    r"/(run_code|test_program|classify|pooling|score|rerank|predict|generate|health|info|metrics|openai)"
    r"|/v1/(classify|score|rerank|embeddings|fine_tuning)|/v2"
)
"""Other servers' paths, and those of probes."""


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [(path, method, one) for path, many in document()["paths"].items() for method, one in many.items()]


def url(path: str) -> str:
    return re.sub(r"\{\w+\}", "none", path)


def ask(api: Api, path: str, method: str, **params: str) -> Any:
    body: dict[str, Any] | None = {} if "requestBody" in document()["paths"][path][method] else None
    return api.http.request(method, url(path), params=params, json=body)


def test_every_operation_of_ours_refuses_a_parameter_that_it_does_not_have(api: Api) -> None:
    ours = [(path, method) for path, method, _ in operations() if not FOREIGN.match(path)]
    assert len(ours) > 90
    for path, method in ours:
        said = ask(api, path, method, outcom_e="correct")
        errors = {one["field"]: one["code"] for one in said.json().get("errors", [])}
        assert (said.status_code, errors.get("query.outcom_e")) == (422, "unknown_parameter"), (method, path, said.text)


def test_other_servers_and_probes_take_what_their_callers_add(api: Api) -> None:
    foreign = [(path, method) for path, method, _ in operations() if FOREIGN.match(path)]
    for path, method in foreign:
        assert "unknown_parameter" not in ask(api, path, method, _="1764243200").text, (method, path)


def test_a_misspelt_filter_is_told_its_name(api: Api) -> None:
    said = api.http.get("/v1/verdicts", params={"outcom": "correct", "limit": 1})
    assert said.status_code == 422
    [error] = said.json()["errors"]
    assert error["field"] == "query.outcom"
    assert error["detail"] == "there is no such parameter; did you mean outcome?"


def test_a_parameter_of_another_list_is_told_those_that_there_are(api: Api) -> None:
    [error] = api.http.get("/v1/runs", params={"zzzzz": "1"}).json()["errors"]
    assert error["detail"] == "there is no such parameter; there are after, limit, since, until"


def test_every_name_that_is_wrong_is_told_beside_the_values(api: Api) -> None:
    sent = {"verifier": 3, "samples": [{"response": "7"}]}
    said = api.http.post("/v1/verify", params={"runn": "x", "stepp": "3"}, json=sent)
    assert {one["field"] for one in said.json()["errors"]} == {"verifier", "query.runn", "query.stepp"}


def test_a_trainer_has_one_url_for_all_that_it_asks(api: Api) -> None:
    asked = [(path, method) for path, method, _ in operations() if path.startswith("/t/")]
    assert len(asked) > 10
    for path, method in asked:
        said = ask(api, path, method, run="r", group_size="8")
        assert "unknown_parameter" not in said.text, (method, path)


def test_a_key_may_stand_in_the_query_of_every_operation(api: Api) -> None:
    for path, method, _ in operations():
        assert "query.key" not in ask(api, path, method, key="a").text, (method, path)


def test_thousands_of_unknown_names_are_refused_at_once(api: Api) -> None:
    names = {f"{number}{'outcome' * 40}": "1" for number in range(150)}
    said = api.http.get("/v1/verdicts", params=names)
    assert said.status_code == 422
    assert len(said.json()["errors"]) == 20
    assert len(said.text) < 20_000


def test_a_stranger_is_asked_for_a_key_first(keyed: Keyed) -> None:
    with httpx2.Client(base_url=keyed.url, timeout=60.0, trust_env=False) as http:
        for path in ("/v1/verdicts", "/v1/runs", "/v1/audits"):
            assert http.get(path, params={"outcom": "correct"}).status_code == 401


def test_operation_ids_are_the_names_of_functions_each_once() -> None:
    ids = Counter(one["operationId"] for _, _, one in operations())
    assert [name for name, count in ids.items() if count > 1] == []
    assert [name for name in ids if not re.fullmatch(r"[a-z0-9_]+", name) or "v1_" in name] == []


def test_the_document_says_how_a_key_travels_and_who_asks_for_none() -> None:
    schemes = document()["components"]["securitySchemes"]
    for path, _, one in operations():
        named = [name for way in one["security"] for name in way]
        assert set(named) <= set(schemes)
        assert bool(named) != (one["operationId"] in OPEN), path


def test_who_is_said_to_ask_for_a_key_does(keyed: Keyed) -> None:
    with httpx2.Client(base_url=keyed.url, timeout=60.0, trust_env=False) as http:
        for path, method, one in operations():
            body: dict[str, Any] | None = {} if "requestBody" in one else None
            said = http.request(method, url(path), json=body)
            assert (said.status_code == 401) == (one["operationId"] not in OPEN), (method, path, said.status_code)


def test_an_idempotency_key_is_declared_where_it_works() -> None:
    told = {
        one["operationId"]
        for _, _, one in operations()
        if any(each["name"] == "Idempotency-Key" for each in one.get("parameters", []))
    }
    assert {"verify", "rewards", "create_job", "start_audit", "store_labels"} <= told
    for _, method, one in operations():
        assert one["operationId"] not in told or method == "post"


def test_every_tag_is_described() -> None:
    described = {one["name"] for one in document()["tags"]}
    assert {tag for _, _, one in operations() for tag in one["tags"]} == described


def test_the_service_gives_the_same_document(api: Api) -> None:
    assert api.http.get("/openapi.json").json() == json.loads(json.dumps(create_app(Settings()).openapi()))


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rewards"])
def test_an_idempotency_key_does_what_the_document_says(api: Api, path: str) -> None:
    kind = {"verifier": "exact"} if path == "/v1/verify" else {"recipe": "math"}
    sent = {**kind, "samples": [{"response": "\\boxed{7}", "reference": "7"}]}
    headers = {"Idempotency-Key": f"test_operation {path}"}
    first, again = (api.http.post(path, json=sent, headers=headers) for _ in range(2))
    assert first.status_code == 200
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
