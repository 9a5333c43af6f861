"""Bodies of foreign protocols with a part that is wrong: the caller is told so, and never that we failed.

The bodies are the examples of the OpenAPI document. In each a part, drawn by chance, is left out or gives way to
something odd.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from pydantic import JsonValue

from tests.live import Service
from tests.openapi import paths

FOREIGN = re.compile(
    r"/t/|/run_code|/test_program|.*/graders/|/v1/select|/(v\d/)?(classify|rerank|score|pooling|predict)"
)
ODD: list[JsonValue] = [
    None,
    True,
    -1,
    0,
    0.5,
    2**63,
    10**400,
    1e308,
    *["", "x", "\x00", "\ud800", "\u202e", "NaN", "1e400", "{}", "[", "a" * 5000, "../../etc/passwd"],
    [],
    [None],
    [[]],
    [1, 1],
    ["\ud800"],
    {},
    {"a": None},
    {"": {}},
    {"\ud800": "x"},
]
MORE: dict[str, list[JsonValue]] = {
    "/run_code": [
        {
            "code": "print(1)",
            "language": "python",
            "run_timeout": 1,
            "memory_limit_MB": 256,
            "files": {"a": "YQ=="},
            "fetch_files": ["a"],
        }
    ],
    "/classify": [{"model": "none", "input": ["a"]}],
    "/score": [{"model": "none", "text_1": "a", "text_2": ["b"]}],
    "/v1/rerank": [{"model": "none", "query": "a", "documents": ["b"]}],
    "/pooling": [{"model": "none", "input": "a"}],
    "/predict": [{"inputs": "a"}],
}
_EACH = 24
Way = tuple[str | int, ...]


def bodies() -> Iterator[tuple[str, JsonValue]]:
    """Each path with a body that is right."""
    for path, methods in paths().items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {}).get("application/json", {})
        if not FOREIGN.match(path):
            continue
        for example in content.get("examples", {}).values():
            yield path, example["value"]
        if "example" in content:
            yield path, content["example"]
        for body in MORE.get(path, []):
            yield path, body


def ways(body: JsonValue, way: Way = ()) -> Iterator[Way]:
    """Where each part of a body is."""
    yield way
    if isinstance(body, dict):
        for name, part in body.items():
            yield from ways(part, (*way, name))
    elif isinstance(body, list):
        for place, part in enumerate(body):
            yield from ways(part, (*way, place))


def changed(body: Any, way: Way, part: JsonValue | None, leave_out: bool) -> Any:
    """The body with another part at that place, or without it."""
    if not way:
        return part
    first, *rest = way
    copy = body.copy()
    if leave_out and not rest:
        del copy[first]
    else:
        copy[first] = changed(copy[first], tuple(rest), part, leave_out)
    return copy


def test_every_foreign_protocol_with_a_body_of_its_own_is_tried() -> None:
    assert len({path for path, _ in bodies()}) >= 15


def test_what_is_malformed_is_the_callers(keyless: Service) -> None:
    """One test of all bodies: to list them when tests are collected would make the OpenAPI document in each process."""
    wrong = []
    with httpx2.Client(base_url=keyless.url, timeout=60.0, trust_env=False) as client:
        for path, body in bodies():
            draw = random.Random(f"{path} {json.dumps(body)}")
            target = re.sub(r"\{[^}]*\}", "math", path)
            for _ in range(_EACH):
                way, part, leave_out = draw.choice([*ways(body)]), draw.choice(ODD), draw.random() < 0.1
                sent = json.dumps(changed(body, way, part, leave_out)).encode()
                answer = client.post(target, content=sent, headers={"content-type": "application/json"})
                if answer.status_code >= 500:
                    wrong.append((path, way, part, leave_out, answer.text[:300]))
    assert wrong == []


UNFIT = [
    "assert f( == 1",
    "import nowhere_at_all\nassert f() == 1",
    "def check(candidate):\n    assert candidate() == 1",
    "class T(Base):\n    pass\nassert T",
    "\ud800",
]


@pytest.mark.parametrize("test", UNFIT)
def test_tests_that_cannot_be_run_are_named(keyless: Service, test: str) -> None:
    body = {"program": "class Base: pass\ndef f(): return 1", "tests": ["assert f() == 1", test]}
    with httpx2.Client(base_url=keyless.url, timeout=60.0, trust_env=False) as client:
        answer = client.post("/test_program", content=json.dumps(body), headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert [problem["field"] for problem in answer.json()["errors"]] == ["tests"]
