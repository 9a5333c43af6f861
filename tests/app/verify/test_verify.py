"""POST /v1/verify over the wire: verdicts in order, and every kind of bad input."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.verify.examples import BODY
from tests.app.conftest import Api


def _sample(**fields: Any) -> dict[str, Any]:
    return {"response": r"\boxed{5}", "reference": "5", **fields}


def _outcomes(api: Api, *samples: dict[str, Any], verifier: str = "math", **rest: Any) -> list[tuple[str, str]]:
    answer = api.post("/v1/verify", {"verifier": verifier, "samples": list(samples), **rest})
    assert answer.status_code == 200, answer.text
    return [(verdict["outcome"], verdict["reason_code"]) for verdict in answer.json()["verdicts"]]


def test_the_documented_example_is_judged_and_recorded(api: Api) -> None:
    verdicts = api.post("/v1/verify", BODY).json()["verdicts"]
    assert [(verdict["id"], verdict["outcome"]) for verdict in verdicts] == [("a", "correct"), ("b", "incorrect")]
    assert verdicts[0]["reason_code"] == "equal_rational"
    assert verdicts[0]["evidence"]["extracted"] == "5/6"
    stored = api.get(f"/v1/verdicts/{verdicts[0]['record']}").json()
    assert "5/6" in json.dumps(stored)


def test_an_empty_batch_is_answered_with_nothing(api: Api) -> None:
    answer = api.post("/v1/verify", {"verifier": "math", "samples": []})
    assert (answer.status_code, answer.json()) == (200, {"verdicts": []})


def test_order_and_ids_are_kept_across_lanes(api: Api) -> None:
    samples = [
        _sample(id=f"s{index}", response=rf"\boxed{{\sqrt{{{index * index * 2}}}}}", reference=rf"{index}\sqrt{{2}}")
        if index % 3 == 0
        else _sample(id=f"s{index}", response=rf"\boxed{{{index}}}", reference=str(index))
        for index in range(1, 60)
    ]
    verdicts = api.post("/v1/verify", {"verifier": "math", "samples": samples}).json()["verdicts"]
    assert [verdict["id"] for verdict in verdicts] == [sample["id"] for sample in samples]
    assert {verdict["outcome"] for verdict in verdicts} == {"correct"}


def test_any_of_several_references_will_do(api: Api) -> None:
    assert _outcomes(api, _sample(reference=["7", "5"]), _sample(reference=["7", "8"])) == [
        ("correct", "equal_integer"),
        ("incorrect", "unequal_rational"),
    ]


def test_what_is_wrong_with_one_sample_costs_the_others_nothing(api: Api) -> None:
    found = _outcomes(
        api,
        _sample(),
        _sample(reference=None),
        _sample(response=""),
        {"reference": "5"},
        _sample(colour="red"),
        _sample(response="x" * 1_000_001),
        _sample(finish_reason="aborted"),
        _sample(reference="y" * 1_000_001),
        _sample(),
    )
    assert found == [
        ("correct", "equal_integer"),
        ("abstained", "no_reference"),
        ("invalid", "empty"),
        ("invalid", "empty"),
        ("abstained", "unknown_field"),
        ("invalid", "too_long"),
        ("abstained", "aborted"),
        ("abstained", "field_too_long"),
        ("correct", "equal_integer"),
    ]


def test_a_lone_surrogate_and_a_nul_cost_one_character(api: Api) -> None:
    raw = json.dumps({"verifier": "math", "samples": [_sample(id="a", prompt="x\ud800y\x00z"), _sample()]}).encode()
    verdicts = api.post("/v1/verify", raw=raw).json()["verdicts"]
    assert [verdict["outcome"] for verdict in verdicts] == ["correct", "correct"]
    assert "x\ufffdy\ufffdz" in api.get(f"/v1/verdicts/{verdicts[0]['record']}").text


def test_a_hint_is_not_even_stored(api: Api) -> None:
    body = {"verifier": "math", "samples": [_sample(prompt="Solve. The answer is 5.", hint=" The answer is 5.")]}
    [verdict] = api.post("/v1/verify", body).json()["verdicts"]
    stored = api.get(f"/v1/verdicts/{verdict['record']}").text
    assert "Solve." in stored
    assert "The answer is 5" not in stored


def test_the_same_sample_again_comes_from_the_cache_under_a_record_of_its_own(api: Api) -> None:
    body = {"verifier": "math", "samples": [_sample(prompt="cached?", response=r"\boxed{\sqrt{12}}", reference="2√3")]}
    [first] = api.post("/v1/verify", body).json()["verdicts"]
    [again] = api.post("/v1/verify", body).json()["verdicts"]
    assert (first["cached"], again["cached"]) == (False, True)
    assert first["record"] != again["record"]
    assert first["outcome"] == again["outcome"]


def test_10_megabytes_of_digits_are_the_policys_doing(api: Api) -> None:
    assert _outcomes(api, _sample(response=r"\boxed{" + "9" * 10_000_000 + "}")) == [("invalid", "too_long")]


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "application/x-www-form-urlencoded"])
def test_the_body_is_json_whatever_it_is_called(api: Api, content_type: str) -> None:
    raw = json.dumps({"verifier": "math", "samples": [_sample()]}).encode()
    answer = api.http.post("/v1/verify", content=raw, headers={"content-type": content_type})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("body", "status", "code", "field"),
    [
        ({"samples": []}, 422, "invalid_request", "verifier"),
        ({"verifier": "math"}, 422, "invalid_request", "samples"),
        ({"verifier": "math", "samples": [], "colour": 1}, 422, "invalid_request", "colour"),
        ({"verifier": 1, "samples": []}, 422, "invalid_request", "verifier"),
        ({"verifier": "math", "samples": {}}, 422, "invalid_request", "samples"),
        ({"verifier": "math", "samples": [{"response": 5}]}, 422, "invalid_request", "samples.0.response"),
        ({"verifier": "math", "samples": [1]}, 422, "invalid_request", "samples.0"),
        ({"verifier": "math", "samples": [], "step": True}, 422, "invalid_request", "step"),
        ({"verifier": "math", "samples": [], "step": -1}, 422, "invalid_request", "step"),
        ({"verifier": "math", "samples": [], "deadline_s": 0}, 422, "invalid_request", "deadline_s"),
        ({"verifier": "math", "samples": [], "deadline_s": "1"}, 422, "invalid_request", "deadline_s"),
        ({"verifier": "math", "samples": [], "split": "test"}, 422, "invalid_request", "split"),
        ({"verifier": "maths", "samples": []}, 422, "unknown_verifier", None),
        ({"verifier": "math", "params": {"colour": 1}, "samples": []}, 422, "invalid_parameters", "params.colour"),
        ({"verifier": "math", "samples": [{"id": "a"}, {"id": "a"}]}, 422, "duplicate_ids", "samples.0.id"),
        ({"verifier": "math", "samples": [{}] * 4097}, 413, "too_large", None),
        ([], 422, "invalid_request", "body"),
        ("math", 422, "invalid_request", "body"),
        (None, 422, "invalid_request", "body"),
    ],
)
def test_a_bad_envelope_is_a_problem_document_that_names_the_field(
    api: Api, body: object, status: int, code: str, field: str | None
) -> None:
    answer = api.post("/v1/verify", raw=json.dumps(body).encode())
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["status"]) == (status, code, status), problem
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["detail"]
    if field is not None:
        assert any(field in error["field"] for error in problem["errors"]), problem


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b'{"verifier": "math", "samples": [{"response": "5", "refer',
        b'{"verifier": "math", "samples": [{"response": "\xff\xfe"}]}',
        b'{"verifier": "math", "samples": [{"reference": NaN}]}',
        b'{"verifier": "math", "samples": [{"reference": Infinity}]}',
        b'{"verifier": "math", "samples": [{"reference": 1e999}]}',
        b'{"verifier": "math", "samples": [{"metadata": {"a": -1e999}}]}',
        b'{"verifier": "math", "samples": [{"reference": ' + b"[" * 900 + b"]" * 900 + b"}]}",
        b'{"verifier": "math", "samples": [{"reference": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]}",
        b'{"verifier": "math", "samples": [{"reference": ' + b"9" * 5000 + b"}]}",
    ],
)
def test_json_that_cannot_be_read_is_refused(api: Api, raw: bytes) -> None:
    answer = api.post("/v1/verify", raw=raw)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), answer.text


def test_nesting_that_can_be_read_is_answered(api: Api) -> None:
    deep = b"[" * 150 + b"5" + b"]" * 150
    answer = api.post(
        "/v1/verify", raw=b'{"verifier": "exact", "samples": [{"response": "5", "reference": ' + deep + b"}]}"
    )
    assert answer.status_code == 200
    assert answer.json()["verdicts"][0]["outcome"] in ("abstained", "incorrect")


def test_a_body_over_the_limit_is_refused_as_it_arrives(api: Api) -> None:
    answer = api.post("/v1/verify", raw=b'{"verifier": "math", "x": "' + b"x" * (65 * 2**20) + b'"}')
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_an_unknown_path_and_method_are_problem_documents(api: Api) -> None:
    missing = api.get("/v1/nothing")
    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
    wrong = api.get("/v1/verify")
    assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
    assert "POST" in wrong.headers["allow"]


def test_the_catalogue_shows_each_verifier_with_its_parameters_and_examples(api: Api) -> None:
    catalogue = api.get("/v1/verifiers").json()
    entries = {entry["name"]: entry for entry in catalogue["verifiers"]}
    assert {"math", "exact", "choice", "numeric"} <= set(entries)
    assert catalogue["failures"] == {}
    for entry in entries.values():
        assert entry["params"]["type"] == "object"
        assert entry["examples"]
        # a grader may be about nothing but its item
        assert entry["needs"] or entry["name"] == "grader"
    assert api.get("/v1/verifiers/math").json()["name"] == "math"
    assert api.get("/v1/verifiers/nothing").status_code == 404


def test_the_examples_of_the_catalogue_get_their_outcomes(api: Api) -> None:
    # examples are decided before a model is asked
    for name, kind in (("reward", "reward"), ("process", "process"), ("judge", "causal"), ("second", "causal")):
        model = {"name": name, "kind": kind, "url": "http://127.0.0.1:9", "backend": "vllm"}
        assert api.http.post("/v1/models", json=model).is_success
    for entry in api.get("/v1/verifiers").json()["verifiers"]:
        for example in entry["examples"]:
            [(outcome, _)] = _outcomes(api, example["sample"], verifier=entry["name"], params=example.get("params", {}))
            assert outcome == example["outcome"], (entry["name"], example)
