"""Names without end: nothing that a caller can invent is kept in memory for good."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.security.conftest import Target

TIMES = 300
ROOM = 60 * 2**20
"""What three hundred requests may leave behind: caches that fill up, and what an allocator keeps."""


def names(kind: str) -> Iterator[str]:
    return (f"{kind}-{index}-" + "x" * 200 for index in range(TIMES))


def grown(target: Target, requests: Iterator[tuple[str, object, dict[str, str]]]) -> int:
    first = target.memory()
    for path, body, headers in requests:
        answer = target.post(json.dumps(body).encode(), path, **headers)
        assert answer.status_code < 500, answer.text
    return target.memory() - first


SAMPLE = {"prompt": "p", "response": "a", "reference": "a"}


@pytest.mark.parametrize("kind", ["run", "policy", "group", "verifier", "pattern", "recipe", "idempotency"])
def test_inventing_names_costs_no_memory(target: Target, kind: str) -> None:
    def requests() -> Iterator[tuple[str, object, dict[str, str]]]:
        for name in names(kind):
            body: dict[str, object] = {"verifier": "exact", "samples": [dict(SAMPLE)]}
            headers: dict[str, str] = {}
            match kind:
                case "run" | "policy":
                    body[kind] = name
                    body["run"] = name
                case "group":
                    body["samples"] = [{**SAMPLE, "group": name}]
                case "verifier":
                    body["verifier"] = name
                case "pattern":
                    body |= {"verifier": "regex", "params": {"pattern": name}}
                case "recipe":
                    body = {"recipe": {"terms": [{"verifier": "exact"}], "description": name}, "samples": [SAMPLE]}
                case _:
                    headers = {"Idempotency_Key": name}
            yield ("/v1/rewards" if kind == "recipe" else "/v1/verify"), body, headers

    assert grown(target, requests()) < ROOM


def test_paths_that_are_not_there_are_one_series_of_the_metrics(target: Target) -> None:
    for name in names("path"):
        assert target.stranger.get(f"/{name}").status_code == 404
    lines = target.admin.get("/metrics").text
    assert "path-1-" not in lines
    assert len(lines) < 2**20


def test_keys_that_are_none_leave_nothing_behind(target: Target) -> None:
    before = target.memory()
    for name in names("tw_key"):
        assert target.stranger.get("/v1/keys", headers={"Authorization": f"Bearer {name}"}).status_code == 401
    assert target.memory() - before < ROOM
