"""References: what is accepted, and the precise reason why what is malformed is refused."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from verifiers.code.params import CodeLimits
from verifiers.code.suite import format_reference, suite

CALL: dict[str, JsonValue] = {"function": "f", "args": [1], "expected": 2}
SOURCE: dict[str, JsonValue] = {"language": "python", "source": "pass"}

GOOD: list[JsonValue] = [
    {"stdio": [{"stdin": "1", "stdout": "2"}]},
    {"stdio": [{"stdout": "2"}], "comparison": "tokens", "limits": {"wall_s": 1}},
    {"stdio": [{"stdin": "1", "answer": "x"}], "checker": SOURCE},
    {"calls": [CALL]},
    {"calls": [{"function": "C.m", "expected": None}]},
    {"calls": [{"function": "f", "args": {"python": "((1, 2), {3})"}, "expected": {"python": "(1,)"}}]},
    {"calls": [{"function": "f", "kwargs": {"python": "{'a': (1,)}"}, "expected": 1}]},
    {"calls": [{"class": "C", "methods": [{"method": "m"}, {"method": "n", "args": [1], "expected": 2}]}]},
    {"assertions": ["assert f(1) == 2"]},
    {"files": {"test_a.py": "def test(): pass", "data/x.bin": {"base64": "AAEC"}}, "command": "pytest -q"},
    {"files": {"t.py": ""}, "command": ["python3", "t.py"]},
    {"interactive": {"interactor": SOURCE, "tests": [{"input": "7"}]}},
    {"interactive": {"interactor": SOURCE}},
    {"calls": [CALL], "assertions": ["pass"], "stdio": []},
    '{"assertions": ["assert f(1) == 2"]}',
]


@pytest.mark.parametrize("reference", GOOD)
def test_a_reference_is_read(reference: JsonValue) -> None:
    assert suite(format_reference(reference)).kinds


BAD: list[tuple[JsonValue, str, str]] = [
    ({}, "no_tests", "no tests"),
    ({"stdio": []}, "no_tests", "no tests"),
    ({"assertions": [], "calls": []}, "no_tests", "no tests"),
    ({"interactive": {"interactor": SOURCE, "tests": []}}, "no_tests", "no tests"),
    ("assert f(1) == 2", "bad_reference", "no JSON"),
    (42, "bad_reference", "not int"),
    ("[1]", "bad_reference", "not list"),
    ({"tests": []}, "bad_reference", "there is no key tests; known: "),
    ({"stdio": {}}, "bad_reference", "stdio: "),
    ({"stdio": ["1"]}, "bad_reference", "stdio.0: "),
    ({"stdio": [{"stdin": "1"}]}, "bad_reference", "stdio.0 has no stdout"),
    ({"stdio": [{"stdin": 1, "stdout": "2"}]}, "bad_reference", "stdio.0.stdin: "),
    ({"stdio": [{"stdin": "1", "stdout": 2}]}, "bad_reference", "stdio.0.stdout: "),
    ({"stdio": [{"input": "1", "stdout": "2"}]}, "bad_reference", "stdio.0.input: Extra inputs"),
    ({"stdio": [{"stdout": "2"}], "comparison": "fuzzy"}, "bad_reference", "comparison: "),
    ({"stdio": [{"stdout": "2"}], "limits": {"wall_s": -1}}, "bad_reference", "wall_s"),
    ({"stdio": [{"stdout": "2"}], "limits": {"walls": 1}}, "bad_reference", "walls"),
    ({"assertions": ["pass"], "checker": SOURCE}, "bad_reference", "there is no stdio"),
    (
        {"stdio": [{}], "checker": {"language": "klingon", "source": "x"}},
        "bad_reference",
        "checker.language: there is no",
    ),
    ({"stdio": [{}], "checker": {"language": "python", "source": ""}}, "bad_reference", "checker.source: "),
    ({"calls": [{"function": "f"}]}, "bad_reference", "calls.0.expected: "),
    ({"calls": [{"expected": 1}]}, "bad_reference", "calls.0.function: "),
    ({"calls": [{**CALL, "function": "f("}]}, "bad_reference", "calls.0.function: "),
    ({"calls": [{**CALL, "function": "a.b.c"}]}, "bad_reference", "calls.0.function: "),
    ({"calls": [{**CALL, "args": 1}]}, "bad_reference", "calls.0.args"),
    ({"calls": [{**CALL, "args": {"a": 1}}]}, "bad_reference", "args is a list"),
    ({"calls": [{**CALL, "args": {"python": "f(x)"}}]}, "bad_reference", "calls.0: not a literal"),
    ({"calls": [{**CALL, "kwargs": {"python": "{1: 2}"}}]}, "bad_reference", "kwargs is an object"),
    ({"calls": [{**CALL, "kwargs": {"python": "[1]"}}]}, "bad_reference", "kwargs is an object"),
    ({"calls": [{**CALL, "expected": {"python": "open('x')"}}]}, "bad_reference", "calls.0: not a literal"),
    ({"calls": [{**CALL, "expected": {"python": 1}}]}, "bad_reference", "is a text"),
    ({"calls": [{"class": "C", "methods": []}]}, "bad_reference", "calls.0.methods: "),
    ({"calls": [{"class": "C"}]}, "bad_reference", "calls.0.methods: "),
    ({"calls": [{"class": "C", "methods": [{"method": "a.b"}]}]}, "bad_reference", "calls.0.methods.0.method: "),
    ({"assertions": "assert True"}, "bad_reference", "assertions: "),
    ({"assertions": [""]}, "bad_reference", "assertions.0: "),
    ({"assertions": [" \n"]}, "bad_reference", "assertions.0: "),
    ({"assertions": [1]}, "bad_reference", "assertions.0: "),
    ({"assertions": ["pass"] * 10_001}, "bad_reference", "assertions: "),
    ({"files": {"t.py": ""}}, "bad_reference", "files and command"),
    ({"command": "pytest"}, "bad_reference", "files and command"),
    ({"files": {"/etc/passwd": ""}, "command": "x"}, "bad_reference", "is no path inside"),
    ({"files": {"../x": ""}, "command": "x"}, "bad_reference", "is no path inside"),
    ({"files": {"": ""}, "command": "x"}, "bad_reference", "is no path inside"),
    ({"files": {"a\x00b": ""}, "command": "x"}, "bad_reference", "is no path inside"),
    ({"files": {"a": {"base64": "?"}}, "command": "x"}, "bad_reference", "not base64"),
    ({"files": {"a": 1}, "command": "x"}, "bad_reference", "files.a"),
    ({"files": {"a": ""}, "command": "'"}, "bad_reference", "command"),
    ({"files": {"a": ""}, "command": [" "]}, "bad_reference", "command"),
    ({"interactive": {}}, "bad_reference", "interactive.interactor: "),
    ({"inputs": ["1"], "outputs": ["1"]}, "bad_reference", "there is no key inputs; known: stdio, checker, calls, "),
    (
        {"interactive": {"interactor": SOURCE, "tests": [{"stdin": "1"}]}},
        "bad_reference",
        "interactive.tests.0.stdin: ",
    ),
]


@pytest.mark.parametrize(("reference", "code", "said"), BAD)
def test_a_malformed_reference_is_refused_with_the_reason(reference: JsonValue, code: str, said: str) -> None:
    with pytest.raises(Abstain) as refusal:
        suite(format_reference(reference))
    assert refusal.value.reason_code == code
    assert said in refusal.value.reason


def test_a_refusal_repeats_nothing_of_a_test() -> None:
    with pytest.raises(Abstain) as refusal:
        suite(format_reference({"stdio": [{"stdin": ["CANARY"], "stdout": "CANARY"}]}))
    assert "CANARY" not in refusal.value.reason


def test_depth_is_bounded() -> None:
    deep: JsonValue = 1
    for _ in range(900):
        deep = [deep]
    references: list[JsonValue] = [{"calls": [{**CALL, "expected": deep}]}, "[" * 100_000, {"stdio": deep}]
    for reference in references:
        with pytest.raises(Abstain):
            suite(format_reference(reference))


def test_equal_references_are_the_same_text() -> None:
    reference: JsonValue = {"calls": [{"function": "f", "args": [{"b": 1, "a": 2}], "expected": "é"}]}
    assert format_reference(reference) == format_reference(json.dumps(reference))
    assert '{"b":1,"a":2}' in format_reference(reference)


def test_lone_surrogates_and_file_contents_survive() -> None:
    read = suite(format_reference({"files": {"a": "x\ud800é", "b": {"base64": "AAEC"}}, "command": "x"}))
    assert read.contents == {"a": "x\ufffdé".encode(), "b": b"\x00\x01\x02"}


def test_limits_of_the_reference_replace_those_of_the_parameters() -> None:
    read = suite(format_reference({"stdio": [{"stdout": ""}], "limits": {"wall_s": 2}}))
    limits = read.override_limits(CodeLimits(wall_s=1.0, memory_bytes=2**28))
    assert (limits.wall_s, limits.memory_bytes) == (2.0, 2**28)
