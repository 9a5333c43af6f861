"""Samples whose values a JSON parser has made: they are what they are elsewhere, and no value is looked at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from trueward.wire.sample import PARSED, Sample

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS, lambda children: st.lists(children) | st.dictionaries(st.text(), children), max_leaves=12
)
MESSAGES = st.fixed_dictionaries({"role": st.text(), "content": VALUES}, optional={"policy": VALUES, "more": VALUES})
SAMPLES = st.fixed_dictionaries(
    {"response": VALUES | st.lists(MESSAGES)},
    optional={"reference": VALUES, "metadata": VALUES, "prompt": st.lists(MESSAGES), "unknown": VALUES},
)


@given(SAMPLES)
def test_a_sample_of_parsed_values_is_what_it_is_elsewhere(given: dict[str, JsonValue]) -> None:
    assert said(given, PARSED) == said(given, None)


def said(given: dict[str, JsonValue], context: str | None) -> object:
    """The sample, or what is wrong."""
    try:
        return Sample.model_validate(given, context=context)
    except ValidationError as wrong:
        return wrong.errors(include_url=False)


@pytest.mark.parametrize("field", ["reference", "metadata", "response"])
def test_what_is_within_parsed_values_is_not_looked_at(field: str) -> None:
    within = object()
    values = {
        "reference": [within],
        "metadata": {"a": within},
        "response": [{"role": "assistant", "content": [within]}],
    }
    given = {field: values[field]}
    assert Sample.model_validate(given, context=PARSED)
    with pytest.raises(ValidationError):
        Sample.model_validate(given)
