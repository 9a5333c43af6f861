"""Recipes and patterns that are written to be slow to read, or to be more than they look."""

from __future__ import annotations

import json

import pytest

from tests.security.conftest import Target

BOMBS = {
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n",
    "brackets": "a: " + "[" * 100_000,
    "braces": "a: " + "{a: " * 50_000,
    "items": "name: x\nterms: [" + "1," * 120_000 + "]",
    "keys": "\n".join(f"k{index}: 1" for index in range(25_000)),
    "terms": "name: x\nterms:\n" + "- {x: 1}\n" * 20_000,
    "anchors": "\n".join(f"k{index}: &a{index} 1" for index in range(12_000)),
    "complex keys": "? " * 100_000,
    "a command": 'a: !!python/object/apply:os.system ["id"]',
    "a class": "a: !!python/name:os.system",
    "a number": "a: " + "9" * 200_000,
    "a binary number": "a: 0b" + "1" * 200_000,
    "base sixty": "a: " + ":".join(["59"] * 20_000),
    "underscores": "a: " + "1_" * 100_000 + "x",
    "a date": "a: 9999-99-99",
    "infinity": "name: x\nterms: [{verifier: exact, weight: .inf}]",
    "many documents": "---\n" * 50_000,
    "a directive": "%TAG ! tag:evil.example,2026:\n---\na: !x 1",
    "too long": "a: " + "x" * 300_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_hostile_recipe_is_refused_with_its_reason(target: Target, name: str) -> None:
    answer = target.admin.post(
        "/v1/recipes/validate", content=BOMBS[name], headers={"content-type": "application/yaml"}
    )
    assert answer.status_code == 200
    assert answer.json()["valid"] is False
    assert 0 < len(answer.json()["problems"]) <= 20


def test_a_hostile_recipe_within_a_request_is_refused(target: Target) -> None:
    deep: object = 1
    for _ in range(150):
        deep = [deep]
    for recipe in (
        {"terms": [{"x": 1}] * 20_000},
        {"terms": deep},
        {"terms": [{"verifier": "exact", "weight": 1e308}] * 300},
    ):
        answer = target.post(json.dumps({"recipe": recipe, "samples": []}).encode(), "/v1/rewards")
        assert answer.status_code in (200, 422)
        assert len(answer.content) < 20_000


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){25}$", r"(\w+\s?)*$"])
def test_a_pattern_that_backtracks_ends_on_time_and_costs_one_sample(target: Target, pattern: str) -> None:
    samples = [{"response": "a" * 40 + "!", "reference": pattern}, {"response": "b", "reference": "b"}]
    answer = target.post(
        json.dumps({"verifier": "regex", "params": {"scope": "response"}, "samples": samples}).encode()
    )
    hung, fine = answer.json()["verdicts"]
    assert hung["outcome"] in ("invalid", "abstained", "incorrect")
    assert fine["outcome"] == "correct"


@pytest.mark.parametrize("pattern", ["(" * 5000, "a{99999}{99999}", "x" * 20_000, "[" * 9000])
def test_a_pattern_that_cannot_be_compiled_is_the_callers(target: Target, pattern: str) -> None:
    body = {"verifier": "regex", "samples": [{"response": "a", "reference": pattern}]}
    [verdict] = target.post(json.dumps(body).encode()).json()["verdicts"]
    assert (verdict["outcome"], verdict["score"]) == ("abstained", None)


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "..", ".", "a/b", "%00", "a\nb", "x" * 5000])
def test_a_recipe_is_no_file(target: Target, name: str) -> None:
    for answer in (
        target.admin.put(f"/v1/recipes/{name.replace('/', '%2f').replace(chr(10), '%0a')}", json={"terms": []}),
        target.post(json.dumps({"recipe": name, "samples": []}).encode(), "/v1/rewards"),
        target.post(b'{"query":["a"]}', f"/t/{name.replace('/', '%2f').replace(chr(10), '%0a')}/openrlhf"),
    ):
        assert answer.status_code in (404, 405, 422), answer.text
