"""``json``: equality is that of values, bounds hold for any text, schemas stay within theirs."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample, Verdict
from verifiers import registry
from verifiers.json_schema import violations
from verifiers.json_text import DEEPEST, NotJson, difference, parse

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DOCUMENTS: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20
)
TREE = json.dumps({"type": "object", "properties": {"l": {"$ref": "#"}, "r": {"$ref": "#"}}})


def judge(response: str, reference: JsonValue = None, **params: JsonValue) -> Verdict:
    [verdict] = registry.create("json", params).verify([Sample(response=response, reference=reference)])
    return verdict


def reversed_names(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: reversed_names(value[name]) for name in reversed(value)}
    return [reversed_names(item) for item in value] if isinstance(value, list) else value


@given(DOCUMENTS)
def test_a_document_is_itself_however_its_names_are_ordered(document: JsonValue) -> None:
    assert difference(parse(json.dumps(reversed_names(document), indent=1)), document) is None


@given(DOCUMENTS, DOCUMENTS)
def test_difference_is_symmetric_and_agrees_with_canonical_text(one: JsonValue, other: JsonValue) -> None:
    there, back = difference(one, other), difference(other, one)
    assert (there is None) == (back is None)
    if there is not None:
        assert canonical(one) != canonical(other)


def canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)


@given(st.text(alphabet='[]{}",:\\019.eE-+tfn \n', max_size=60) | st.text(max_size=60))
def test_any_text_is_read_as_the_library_reads_it_or_refused(text: str) -> None:
    try:
        found = parse(text)
    except NotJson:
        return
    assert found == json.loads(text)


HOSTILE = {
    "open brackets": "[" * 1_000_000,
    "pairs": "[" + "[]," * 300_000 + "[]]",
    "open text": '"' + "\\" * 1_000_000,
    "quotes": '"' * 1_000_001,
    "escaped quotes": '\\"' * 500_000,
    "digits": "9" * 1_000_000,
    "names": "{" + ",".join(f'"{i}":0' for i in range(100_000)) + "}",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_linear_time(name: str) -> None:
    start = time.process_time()
    judge(HOSTILE[name], check="valid")
    # below half a second is seen; quadratic time on a million characters would take minutes
    assert time.process_time() - start < 20


def test_the_deepest_document_that_is_read_does_not_exhaust_a_recursive_schema() -> None:
    document: JsonValue = {}
    for _ in range(DEEPEST - 1):
        document = {"l": document}
    text = json.dumps(document)
    assert judge(text, check="schema", json_schema=json.loads(TREE)).reason_code == "fits_schema"
    assert judge('{"l":' + text + "}", check="schema", json_schema=json.loads(TREE)).reason_code == "too_deep"


def test_an_unresolvable_reference_deep_in_a_schema_is_the_callers() -> None:
    schema: JsonValue = {"properties": {"a": {"$ref": "http://127.0.0.1:9/nothing"}}}
    verdict = judge('{"a": 1}', check="schema", json_schema=schema)
    assert (verdict.outcome, verdict.reason_code) == ("abstained", "schema_invalid")


def test_violations_name_their_place_and_are_few() -> None:
    schema = json.dumps({"items": {"type": "integer"}})
    found = violations(schema, ["x"] * 1000)
    assert len(found) == 5
    assert found[1] == "$[1]: 'x' is not of type 'integer'"


def test_the_difference_names_its_place() -> None:
    verdict = judge('{"a": [1, {"b": 2}]}', {"a": [1, {"b": 3}]})
    assert verdict.reason == "$.a[1].b: another value"


def test_who_gives_an_array_as_reference_hears_that_a_list_means_any() -> None:
    assert "an array stands in a list" in judge("[1, 2]", [1, 2]).reason
    assert judge("[1, 2]", [[1, 2]]).outcome == "correct"
    assert judge("[2, 1]", [[1, 2]]).reason == "$[0]: another value"
    assert judge("3", [1, 2]).reason == "$: another value"


@pytest.mark.parametrize("size", [100, 100_000])
def test_a_verdict_is_the_same_in_the_process_and_in_a_worker(size: int) -> None:
    verifier = registry.create("json", {})
    document = json.dumps(["x" * size])
    found = verifier.triage(Sample(response=document, reference=[["x" * size]]))
    assert isinstance(found, Verdict) == (size < 1000)
    assert judge(document, [["x" * size]]).outcome == "correct"


@given(st.integers(-(10**12), 10**12), st.integers(1, 6))
def test_a_decimal_is_a_multiple_of_its_last_place(digits: int, places: int) -> None:
    number = parse(f"{digits}e-{places}")
    assert not violations(json.dumps({"multipleOf": float(f"1e-{places}")}), number)
    coarser = violations(json.dumps({"multipleOf": float(f"1e-{places - 1}")}), number)
    assert bool(coarser) == bool(digits % 10)
