"""The examples of the OpenAPI document are requests that a service answers, and the answers that it gave."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from app.http.openapi import EXAMPLES
from tests.app.transcript import examples_of, shape
from tests.each import check_each
from tests.openapi import document, paths

UNSHOWN = {
    "roll_result": "the same by GET",
    "run_azure_grader": "the same under another path",
    "validate_azure_grader": "the same under another path",
    "correct_recipe": "it needs an audit of many labels",
    "show_alarm": "it needs a run that went wrong",
    "close_alarm": "it needs a run that went wrong",
    "import_labels": "it takes a file",
}
"""Operations of ours without an example."""
FOREIGN = {
    "classify",
    "classify_as_openai",
    "pooling",
    "score",
    "score_as_openai",
    "rerank",
    "rerank_v1",
    "rerank_v2",
    "embeddings",
    "predict",
    "generate_nothing",
    "health",
    "info",
    "live",
    "ready",
}
"""Operations of other model servers, which document them, and of probes."""


def operations() -> dict[str, dict[str, Any]]:
    return {one["operationId"]: one for many in paths().values() for one in many.values()}


def answer_of(operation: dict[str, Any]) -> dict[str, Any]:
    """What the document says of the JSON that it answers with; nothing where it answers otherwise."""
    [success] = [said for status, said in operation["responses"].items() if status in ("200", "201", "202")]
    found: dict[str, Any] = success.get("content", {}).get("application/json", {})
    return found


def examples() -> dict[str, dict[str, Any]]:
    stored: dict[str, dict[str, Any]] = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    return stored


def check(value: Any, schema: dict[str, Any]) -> None:
    validator = Draft202012Validator({**schema, "components": document()["components"]})
    assert [error.message[:300] for error in validator.iter_errors(value)] == []


def test_every_operation_of_ours_shows_a_request_and_its_answer() -> None:
    without = {name for name, one in operations().items() if answer_of(one) and not _shows(one)}
    assert without == UNSHOWN.keys() | FOREIGN


def _shows(operation: dict[str, Any]) -> bool:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    shown = [answer_of(operation), *([] if body is None else [body])]
    required = [one for one in operation.get("parameters", ()) if one["required"]]
    return all({"example", "examples"} & part.keys() for part in shown) and all("example" in one for one in required)


def test_what_is_shown_is_what_the_document_allows() -> None:
    def as_the_document_says(operation: dict[str, Any]) -> None:
        for parameter in operation.get("parameters", ()):
            if "example" in parameter:
                check(parameter["example"], parameter["schema"])
        asked = operation.get("requestBody", {}).get("content", {}).get("application/json")
        for content in (asked, answer_of(operation)):
            if content and "example" in content:
                check(content["example"], content["schema"])

    check_each(operations().items(), as_the_document_says)


@pytest.fixture(scope="module")
def anew(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The examples as a service gives them now; that each request is answered is part of it."""
    return examples_of(tmp_path_factory.mktemp("examples"))


def test_a_service_answers_each_example_as_it_is_shown(anew: dict[str, dict[str, Any]]) -> None:
    """``python -m tests.app.transcript`` writes them anew."""
    stored = examples()
    assert stored.keys() == anew.keys()

    def of_the_same_shape(name: str) -> None:
        assert shape(stored[name]) == shape(anew[name])

    check_each(((name, name) for name in stored), of_the_same_shape)


def test_no_example_tells_a_key(anew: dict[str, dict[str, Any]]) -> None:
    assert anew["create_key"]["answer"]["key"].endswith("_shown-only-here")
    assert examples()["rotate_key"]["answer"]["key"].endswith("_shown-only-here")
