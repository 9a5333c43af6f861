"""A request sent again under its key is answered again, not scored again."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

from tests.app.conftest import Api

BODY = {"verifier": "math", "samples": [{"response": r"\boxed{5}", "reference": "5"}]}


def test_the_second_answer_is_the_first_one(api: Api) -> None:
    key = uuid.uuid4().hex
    first = api.post("/v1/verify", BODY, idempotency_key=key)
    again = api.post("/v1/verify", BODY, idempotency_key=key)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers


def test_requests_at_once_under_one_key_are_scored_once(api: Api) -> None:
    key = uuid.uuid4().hex
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: api.post("/v1/verify", BODY, idempotency_key=key).json(), range(16)))
    assert len({answer["verdicts"][0]["record"] for answer in answers}) == 1


def test_another_body_under_the_key_is_a_conflict(api: Api) -> None:
    key = uuid.uuid4().hex
    assert api.post("/v1/verify", BODY, idempotency_key=key).status_code == 200
    other = api.post("/v1/verify", {**BODY, "step": 1}, idempotency_key=key)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


def test_another_query_under_the_key_is_a_conflict(api: Api) -> None:
    key = uuid.uuid4().hex
    body = {"query": [r"1+1? \boxed{2}"], "prompts": ["1+1? "], "labels": ["2"]}
    first = api.post("/t/math/openrlhf?run=one", body, idempotency_key=key)
    again = api.post("/t/math/openrlhf?key=anything&run=one", body, idempotency_key=key)
    other = api.post("/t/math/openrlhf?run=other", body, idempotency_key=key)
    assert (again.json(), again.headers["idempotency-replayed"]) == (first.json(), "true")
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_conflict")


def test_a_key_is_scoped_to_its_path(api: Api) -> None:
    key = uuid.uuid4().hex
    assert api.post("/v1/verify", BODY, idempotency_key=key).status_code == 200
    rewards = {"recipe": "math", "samples": BODY["samples"]}
    assert api.post("/v1/rewards", rewards, idempotency_key=key).status_code == 200


def test_a_refused_request_may_be_mended_under_its_key(api: Api) -> None:
    key = uuid.uuid4().hex
    for _ in range(2):
        answer = api.post("/v1/verify", {**BODY, "verifier": "nothing"}, idempotency_key=key)
        assert answer.status_code == 422
        assert "idempotency-replayed" not in answer.headers


def test_a_key_that_is_no_key_is_refused(api: Api) -> None:
    assert api.post("/v1/verify", BODY, idempotency_key="x" * 256).status_code == 422


def test_a_stream_under_a_key_keeps_its_records(api: Api) -> None:
    key = uuid.uuid4().hex
    body = {"recipe": "math", "samples": BODY["samples"]}
    lines = [
        api.post("/v1/rewards", body, idempotency_key=key, accept="application/x-ndjson").text.splitlines()[0]
        for _ in range(2)
    ]
    assert lines[0].split('"record":"')[1][:26] == lines[1].split('"record":"')[1][:26]
