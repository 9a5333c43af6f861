"""What feedback shows of values: short, legible, and made of any value that a program can return."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifiers.code.shown import LONGEST, format_value

HUGE = st.integers(3000, 50_000).map(lambda exponent: 10**exponent)
HASHABLE = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        HUGE,
        HUGE.map(lambda huge: -huge),
        HUGE.map(lambda huge: Fraction(1, huge + 1)),
        st.floats(),
        st.complex_numbers(),
        st.decimals(allow_nan=False),
        st.integers(1, 50_000).map(lambda digits: Decimal("9" * digits)),
        st.text(),
        st.text(min_size=1).map(lambda text: text * 10_000),
        st.binary(),
        HUGE.map(range),
    ),
    lambda inner: st.one_of(st.lists(inner).map(tuple), st.frozensets(inner)),
    max_leaves=8,
)
VALUES = st.recursive(
    HASHABLE,
    lambda inner: st.one_of(
        st.lists(inner),
        st.sets(HASHABLE),
        st.dictionaries(HASHABLE, inner),
        st.dictionaries(HASHABLE, inner).map(OrderedDict),
        st.lists(inner).map(deque),
        st.dictionaries(HASHABLE, inner).map(lambda found: found.items()),
        st.lists(inner).map(lambda found: found * 5000),
    ),
    max_leaves=8,
)


# a quarter of the usual number: among these values are fractions of 50,000 digits
@settings(max_examples=25)
@given(VALUES)
def test_every_value_is_shown_in_short(value: object) -> None:
    assert len(format_value(value)) <= LONGEST + len(" ... ")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        ([1, "a", 2.5, True], "[1, 'a', 2.5, True]"),
        ((1,), "(1,)"),
        ((), "()"),
        ({"a": [1]}, "{'a': [1]}"),
        ({3, 1, 2}, "{1, 2, 3}"),
        (Counter("aab"), "Counter({'a': 2, 'b': 1})"),
        (defaultdict(list, {1: []}), "defaultdict({1: []})"),
        (deque([1, 2]), "deque(1, 2)"),
        (timedelta(1), "datetime.timedelta(days=1)"),
        (range(3), "range(0, 3, 1)"),
        (Fraction(1, 3), "Fraction(1, 3)"),
        ([10**5000], "[<an integer of about 5001 digits>]"),
        ([[[[[1]]]]], "[[[[[...]]]]]"),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...]"),
    ],
)
def test_values_are_written_as_python_does(value: object, text: str) -> None:
    assert format_value(value) == text
