"""Literals in references: what JSON cannot write, read within bounds, never evaluated."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from verifiers.code.literal import Exact, NotLiteral, value


def literal(text: str) -> JsonValue:
    return {"python": text}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (1, 1),
        ([1, "a", None], [1, "a", None]),
        ({"a": [1]}, {"a": [1]}),
        (literal("(1, 2)"), (1, 2)),
        (literal("{1, 2}"), {1, 2}),
        (literal("set()"), set()),
        (literal("{1: 'a'}"), {1: "a"}),
        (literal("b'x'"), b"x"),
        (literal("1 + 2j"), 1 + 2j),
        (literal("-1.5e3"), -1500.0),
        (literal(" 7 "), 7),
        (literal("-inf"), -math.inf),
        (literal("[inf, {'a': -inf}]"), [math.inf, {"a": -math.inf}]),
        ([literal("(1,)"), 2], [(1,), 2]),
        ({"a": literal("None")}, {"a": None}),
        ({"python": "1", "other": 2}, {"python": "1", "other": 2}),
    ],
)
def test_values_are_read(written: JsonValue, expected: object) -> None:
    assert value(written) == expected


def test_nan_can_be_written() -> None:
    found = value(literal("nan"))
    assert isinstance(found, float)
    assert math.isnan(found)


def test_a_literal_is_marked_where_values_are_compared() -> None:
    assert value([literal("(1,)")], exact=True) == [Exact((1,))]


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "f(1)",
        "x",
        "[i for i in range(3)]",
        "1 +",
        "",
        "{[]: 1}",
        "'a' * 10",
        "(" * 300 + ")" * 300,
        "-" * 5000 + "1",
        "[" * 100 + "]" * 100,
        "1" * 100_001,
        "9" * 5000,
        "'\x00'",
    ],
)
def test_what_is_no_literal_is_refused(text: str) -> None:
    with pytest.raises(NotLiteral):
        value(literal(text))


@pytest.mark.parametrize("written", [{"python": 1}, {"python": None}, {"python": ["1"]}])
def test_a_literal_is_a_text(written: JsonValue) -> None:
    with pytest.raises(NotLiteral):
        value(written)


def test_depth_is_bounded() -> None:
    deep: JsonValue = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(NotLiteral):
        value(deep)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN)
def test_what_python_prints_is_read_back(plain: object) -> None:
    assert value(literal(repr(plain))) == plain
