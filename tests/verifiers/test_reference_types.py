"""What a verifier declares of its references is what it reads: published in the catalogue, held to its behaviour."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward.authoring.verifier import Abstain, Verifier, describe, read_reference
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import GROUP_VERIFIERS
from verifiers import registry

ANSWER = "```python\npass\n```\nThe answer is \\boxed{0}."
KINDS = {name: registry.get(name) for name in registry.names()}
READING = [
    name
    for name, kind in KINDS.items()
    if kind.lane != "model" and name not in GROUP_VERIFIERS and describe(kind).reference is not None
]
TYPED = [name for name in READING if describe(KINDS[name]).reference]
"""Those whose references are not just any JSON."""
PARAMS: dict[str, dict[str, Any]] = {"label": {"labels": ["yes", "no"]}}


def schema(name: str) -> dict[str, JsonValue]:
    found = describe(KINDS[name]).reference
    assert found is not None
    return found


def fits(value: JsonValue, name: str) -> bool:
    return bool(jsonschema.Draft202012Validator(schema(name)).is_valid(value))


def read(verifier: Verifier, reference: JsonValue) -> str | None:
    """Why the verifier cannot read a reference; None where it can. Nothing is executed in a sandbox."""
    try:
        found = verifier.triage(Sample(prompt="Why?", response=ANSWER, reference=reference))
        if not isinstance(found, Verdict):
            read_reference(verifier, found)
            return None
    except Abstain as refusal:
        return refusal.reason_code
    return found.reason_code if found.outcome == "abstained" else None


def test_the_list_of_verifiers_is_whole() -> None:
    assert {"math", "code", "sql", "choice", "instructions", "patch_similarity"} <= set(TYPED)
    assert len(TYPED) >= 18


@pytest.mark.parametrize("name", KINDS)
def test_every_schema_is_one(name: str) -> None:
    found = describe(KINDS[name]).reference
    assert found is None or jsonschema.Draft202012Validator.check_schema(found) is None


@pytest.mark.parametrize("name", READING)
def test_the_references_of_the_examples_fit(name: str) -> None:
    for example in KINDS[name].examples:
        if example.outcome == "abstained":
            continue
        for reference in [example.sample.reference] if name == "sets" else example.sample.references:
            assert fits(reference, name), reference


@pytest.mark.parametrize("name", TYPED)
def test_what_does_not_fit_is_never_judged(name: str) -> None:
    """Values without a list at the top, which would mean any of its elements."""
    verifier = KINDS[name](KINDS[name].Params(**PARAMS.get(name, {})))  # type: ignore[call-arg]
    leaves = st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text(max_size=5)
    keys = st.sampled_from(["query", "files", "solution", "constraints", "value", "unit", "tests", "a"])
    values = st.recursive(leaves, lambda inner: st.dictionaries(keys, inner | st.lists(inner, max_size=2), max_size=3))

    @settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(value=values)
    def check(value: JsonValue) -> None:
        if value is not None and not fits(value, name):
            assert read(verifier, value) is not None, json.dumps(value)

    check()


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("math", "\\frac{1}{2}"),
        ("math", 0.5),
        ("exact", True),
        ("quantity", {"value": "9.8", "unit": "m/s^2"}),
        ("code", {"assertions": ["assert f(1) == 2"]}),
        ("code", '{"assertions": ["assert f(1) == 2"]}'),
        ("sql", {"query": "SELECT 1", "database": ["CREATE TABLE t (a)"], "ordered": None}),
        ("instructions", {"instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}], "key": 7}),
        ("unit_tests", {"solution": "def f(): return 1", "mutants": ["def f(): return 2"]}),
        ("repository_patch", {"files": {"a.py": "x = 1"}, "command": "true"}),
        ("patch_similarity", {"files": {"a.py": "x = 1"}, "patched": {"a.py": "x = 2"}}),
        ("label", "yes"),
        ("overlap", "some words"),
        ("regex", "a+"),
    ],
)
def test_what_the_documents_show_fits_and_is_read(name: str, reference: JsonValue) -> None:
    verifier = KINDS[name](KINDS[name].Params(**PARAMS.get(name, {})))  # type: ignore[call-arg]
    assert fits(reference, name)
    assert read(verifier, reference) is None


def test_those_that_read_no_reference_judge_alike_with_and_without_one() -> None:
    for name, kind in KINDS.items():
        if describe(kind).reference is None and kind.lane != "model":
            verifier = kind(kind.Params())  # type: ignore[call-arg]
            for example in kind.examples:
                if not example.params:
                    bare, other = (example.sample.model_copy(update={"reference": one}) for one in (None, {"a": [1]}))
                    [one], [two] = verifier.verify([bare]), verifier.verify([other])
                    assert (one.outcome, one.score) == (two.outcome, two.score), name
