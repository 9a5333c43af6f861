"""The form that servers are shown: they hold a model to labels, and not all of them hold a number to its bounds.

llama.cpp lets a small model write -1 and 96 where 0 to 10 was asked for (SmolLM2-135M-Instruct, `graded_correctness`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from judges import presets
from judges.asking.schema_fit import bare

FORMS = [(name, file) for name in presets.names() for file in presets.find(name).forms]


def numbers(schema: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Schemas of numbers anywhere within it."""
    if isinstance(schema, list):
        for one in schema:
            yield from numbers(one)
    if isinstance(schema, dict):
        if schema.get("type") == "number":
            yield schema
        for one in schema.values():
            yield from numbers(one)


@pytest.mark.parametrize(("name", "file"), FORMS)
def test_no_preset_leaves_a_bounded_number_to_the_server(name: str, file: str) -> None:
    shown = bare(presets.find(name).form(file).schema)
    assert not [one for one in numbers(shown) if {"minimum", "maximum"} & one.keys()]
    assert "default" not in json.dumps(shown)


@given(low=st.integers(-20, 20), width=st.integers(1, 20))
def test_what_is_shown_is_of_the_form_and_has_both_bounds(low: int, width: int) -> None:
    number: dict[str, JsonValue] = {"type": "number", "minimum": low, "maximum": low + width}
    shown = bare(number)
    assert isinstance(shown, dict)
    labels = shown["enum"]
    assert isinstance(labels, list)
    for label in labels:
        jsonschema.validate(label, number)
    assert (labels[0], labels[-1]) == (low, low + width)
    assert len(labels) == 2 * width + 1


@pytest.mark.parametrize("number", [{"type": "number"}, {"type": "number", "minimum": 0}, {"type": "integer"}])
def test_a_number_without_bounds_stays(number: dict[str, JsonValue]) -> None:
    assert bare(number) == number
