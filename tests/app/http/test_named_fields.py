"""Whatever is wrong with a request, its problem document says in which field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.app.projects.tenants import planted, tenants
from trueward.errors import InvalidRequest, UnknownRecipe, UnknownVerifier

OWN = "/v1/"
FOREIGN = ("/v1/score", "/v1/rerank", "/v1/classify", "/v1/embeddings", "/v1/fine_tuning")
"""Paths of other servers' protocols, which have problems of their own form."""
BODIES: tuple[object, ...] = ({"zz": 1}, "\0x" + "x" * 600, None)
QUERIES = ("", "NaN", "\0")
SAMPLE = {"response": "5", "reference": "5"}
WRONG: list[tuple[str, str, dict[str, str], Mapping[str, object], str]] = [
    ("POST", "/v1/verify", {}, {"verifier": "nosuch", "samples": [SAMPLE]}, "verifier"),
    ("POST", "/v1/verify", {}, {"verifier": "", "samples": [SAMPLE]}, "verifier"),
    ("POST", "/v1/rewards", {}, {"recipe": "nosuch", "samples": [SAMPLE]}, "recipe"),
    ("POST", "/v1/rewards", {}, {"recipe": "math@00", "samples": [SAMPLE]}, "recipe"),
    ("POST", "/v1/rewards", {}, {"recipe": {"terms": [{"verifier": "nosuch"}]}, "samples": [SAMPLE]}, "recipe.terms.0"),
    ("POST", "/v1/jobs", {}, {"verifier": "nosuch", "samples": [SAMPLE]}, "verifier"),
    ("POST", "/v1/jobs", {}, {"recipe": "nosuch", "samples": [SAMPLE]}, "recipe"),
    ("POST", "/v1/verify", {"Idempotency-Key": "k" * 9999}, {"verifier": "exact", "samples": [SAMPLE]}, "header."),
    ("POST", "/v1/verify", {}, {"verifier": "exact", "params": {"a": [0] * 9**6}, "samples": [SAMPLE]}, "params"),
    ("POST", "/v1/verify", {}, {"verifier": "exact", "samples": [{"id": "a"}, {"id": "a"}]}, "samples.0.id"),
    ("POST", "/t/nosuch/openrlhf", {}, {"query": ["a"], "prompts": ["a"], "labels": ["a"]}, "recipe"),
    ("POST", "/v1/keys", {}, {"name": "k", "scopes": ["score"], "samples_per_minute": -1}, "samples_per_minute"),
    ("POST", "/v1/keys", {}, {"name": "k", "scopes": ["every"]}, "scopes.0"),
    ("POST", "/v1/projects", {}, {"name": "../x"}, "name"),
    ("POST", "/v1/projects", {}, {"name": "x", "weight": 0}, "weight"),
    ("PUT", "/v1/watches/" + "w" * 300, {}, {"run": "*"}, "path.name"),
    ("POST", "/v1/audits/plan", {}, {}, "max_fpr"),
]


async def test_what_is_wrong_is_named(tmp_path: Path, database_url: str) -> None:
    async with tenants(tmp_path, database_url) as service:
        for method, path, headers, body, field in WRONG:
            answer = await service.ask("root", method, path, json=body, headers=headers)
            assert answer.status_code == 422, (path, field, answer.text[:300])
            assert any(one["field"].startswith(field) for one in answer.json()["errors"]), (
                path,
                field,
                answer.text[:300],
            )


async def test_no_refusal_of_our_own_operations_is_without_a_field(tmp_path: Path) -> None:
    """Each field of each body, and each parameter of each query, with values that hardly anything takes."""
    wrong: list[tuple[object, ...]] = []
    asked = 0
    async with tenants(tmp_path, f"sqlite+aiosqlite:///{tmp_path}/t.db") as service:
        names = await planted(service)
        for method, path, given in _cases((await service.get("root", "/openapi.json")).json(), names):
            answer = await service.ask("root", method, path, **given)
            asked += 1
            if answer.status_code >= 500:
                wrong.append((method, path, given, answer.text[:200]))
            if answer.status_code == 422 and not answer.json().get("errors"):
                wrong.append((method, path, given, answer.json()["detail"]))
    assert not wrong, "\n".join(map(str, wrong))
    assert asked > 500


def _cases(document: Any, names: Mapping[str, str]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for template, operations in document["paths"].items():
        if not template.startswith(OWN) or template.startswith(FOREIGN) or template.endswith("/events"):
            continue
        for method, operation in operations.items():
            path = template
            for one in operation.get("parameters", []):
                if one["in"] == "path":
                    path = path.replace("{" + one["name"] + "}", names.get(one["name"], "x"))
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            sent: dict[str, Any] = {} if method in ("get", "delete") else {"json": {}}
            for one in operation.get("parameters", []):
                for said in QUERIES if one["in"] == "query" else ():
                    yield method.upper(), path, {**sent, "params": {one["name"]: said}}
            for name in _fields(document, body):
                for value in BODIES:
                    yield method.upper(), path, {"json": {name: value}}


def _fields(document: Any, schema: Any) -> Iterator[str]:
    while isinstance(schema, dict) and "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for one in (schema or {}).get("anyOf", []) + (schema or {}).get("oneOf", []):
        yield from _fields(document, one)
    yield from (schema or {}).get("properties", {})


@pytest.mark.parametrize(("kind", "field"), [(UnknownVerifier, "verifier"), (UnknownRecipe, "recipe")])
def test_an_error_of_one_field_names_it_unless_it_says_more(kind: type[InvalidRequest], field: str) -> None:
    [own] = kind("there is none").errors
    assert (own.field, own.code, own.detail) == (field, kind.code, "there is none")
    [placed] = kind.at_field("terms.3", "unknown", "there is none").errors
    assert placed.field == "terms.3"
    assert InvalidRequest("something").errors == []
