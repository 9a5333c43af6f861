"""The OpenAPI document is the contract: whatever it allows is answered, and as it says."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.schemas import APIOperation, BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.app.conftest import Api
from tests.each import check_each
from tests.openapi import document

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@cache
def schema() -> BaseSchema:
    """Made at the first use, not when tests are collected."""
    return schemathesis.openapi.from_dict(document())


def operations() -> list[APIOperation[Any, Any, Any, Any]]:
    return [result.ok() for result in schema().get_all_operations() if isinstance(result, Ok)]


def test_what_the_document_allows_is_answered_as_it_says(api: Api) -> None:
    """Few requests for each operation; ``make prove-contract`` sends many."""

    def answered_as_it_says(operation: APIOperation[Any, Any, Any, Any]) -> None:
        @settings(max_examples=5, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def check(case: Any) -> None:
            case.call_and_validate(base_url=api.url, checks=CHECKS, timeout=60)

        check()

    check_each(((operation.label, operation) for operation in operations()), answered_as_it_says)


def test_every_example_in_the_document_is_answered(api: Api) -> None:
    shown = 0
    for path, methods in document()["paths"].items():
        for media_type, body in methods.get("post", {}).get("requestBody", {}).get("content", {}).items():
            for example in body.get("examples", {}).values():
                value = example["value"]
                content = value if isinstance(value, str) else json.dumps(value)
                answer = api.http.post(path, content=content, headers={"content-type": media_type})
                assert answer.status_code < 300, (path, answer.text)
                shown += 1
    assert shown >= 3


_CHANGING = {"record", "elapsed_s", "params", "version", "cached", "recipe"}


def _lasting(value: Any) -> Any:
    """An answer without what differs from call to call and from version to version, and without nulls, which
    FastAPI leaves out of the document."""
    if isinstance(value, list):
        return [_lasting(item) for item in value]
    if isinstance(value, dict):
        return {name: _lasting(item) for name, item in value.items() if name not in _CHANGING and item is not None}
    return value


@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rewards"])
def test_the_answers_in_the_document_are_the_services_own(api: Api, path: str) -> None:
    operation = document()["paths"][path]["post"]
    [asked] = operation["requestBody"]["content"]["application/json"]["examples"].values()
    shown = operation["responses"]["200"]["content"]["application/json"]["example"]
    answered = api.post(path, asked["value"]).json()
    assert _lasting(answered) == _lasting(shown)
    assert answered.keys() == shown.keys()


SAYS_NOTHING = {
    "Given",
    "Info",
    "Line",
    "Payload",
    "Result",
    "Results",
    "Said",
    "Spent",
    "Submit",
    "Told",
    "Usage",
    "Body",
}


def test_every_schema_is_named_by_its_class_alone() -> None:
    """Generated clients take these names: a file that moves must rename none, and a reader must know what is meant."""
    names = set(document()["components"]["schemas"])
    assert [name for name in names if not name.isidentifier() or "__" in name] == []
    assert names & SAYS_NOTHING == set()
