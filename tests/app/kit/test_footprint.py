"""What JSON takes in memory: about what Python says of its parts."""

from __future__ import annotations

import sys

import pytest
from pydantic import JsonValue

from app.kit.footprint import held_bytes


def measured(value: JsonValue) -> int:
    if isinstance(value, dict):
        return sys.getsizeof(value) + sum(measured(name) + measured(item) for name, item in value.items())
    return sys.getsizeof(value) + (sum(map(measured, value)) if isinstance(value, list) else 0)


@pytest.mark.parametrize(
    "value", ["x" * 10_000, "\U0001f600" * 1000, [1.5] * 1000, {"a": ["b" * 300] * 50}, [{"x": 1000}] * 100, 5000, ""]
)
def test_it_is_within_a_factor_of_three_of_what_python_says(value: JsonValue) -> None:
    assert measured(value) / 3 < held_bytes(value) < 3 * measured(value)
