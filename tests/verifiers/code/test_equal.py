"""Typed equality of returned and expected values, by table, by property, and with hostile shapes."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict, namedtuple
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.code.equal import Tolerance, equal
from verifiers.code.literal import Exact

Point = namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (1, 1),
        (1, 1.0),
        (1.0, 1),
        (-0.0, 0),
        (10**400, 10**400),
        (Decimal("0.5"), 0.5),
        (Fraction(1, 2), 0.5),
        (nan, nan),
        (inf, inf),
        ((1, 2), [1, 2]),
        ([1, (2, 3)], [1, [2, 3]]),
        (Point(1, 2), [1, 2]),
        ({"a": (1,)}, {"a": [1]}),
        (OrderedDict(b=1, a=2), {"a": 2, "b": 1}),
        (Counter("aab"), {"a": 2, "b": 1}),
        ({1, 2}, Exact({2, 1})),
        (frozenset({1}), Exact({1})),
        ({(1, 2)}, Exact({(1, 2)})),
        ((1, [2]), Exact((1, [2]))),
        ({1: "a", True and 2: "b"}, Exact({1: "a", 2: "b"})),
        (b"x", Exact(b"x")),
        (bytearray(b"x"), Exact(b"x")),
        (1 + 0j, 1),
        (1, Exact(1 + 0j)),
        ("", ""),
        (None, None),
        (True, True),
        ([], []),
        ((), []),
    ],
)
def test_equal_values(given: object, wanted: object) -> None:
    assert equal(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (True, 1),
        (1, True),
        (0, False),
        (None, False),
        (0, None),
        ("1", 1),
        (1, "1"),
        (b"x", "x"),
        ("x", Exact(b"x")),
        ([1, 2], [2, 1]),
        ([1], [1, 2]),
        ([1, 2], [1]),
        ({1, 2}, [1, 2]),
        ([1, 2], Exact((1, 2))),
        ((1, 2), Exact([1, 2])),
        ([(1,)], Exact([[1]])),
        ({"a": 1, "b": 2}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({1: "a"}, {"1": "a"}),
        ({True: "a"}, Exact({1: "a"})),
        ({True}, Exact({1})),
        ({(True, 0)}, Exact({(1, 0)})),
        ([True], [1]),
        ({"a": False}, {"a": 0}),
        (nan, 1.0),
        (1.0, nan),
        (inf, -inf),
        (0.1 + 0.2, 0.3),
        (Decimal("sNaN"), 1),
        (Decimal("1e999999999"), 1),
        (range(2), [0, 1]),
        (iter([1]), [1]),
        (object(), 1),
        (10**400, 1e308),
        (10**400, Exact(1j)),
    ],
)
def test_unequal_values(given: object, wanted: object) -> None:
    assert not equal(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted", "close"),
    [
        (0.1 + 0.2, 0.3, True),
        (1.0005, 1.0, True),
        (1.002, 1.0, False),
        (2000.5, 2000.0, True),
        (2003.0, 2000.0, False),
        (1.0, 1, True),
        (Decimal("1.000"), 1, True),
        (1.0000001, 1, False),
        (1000001.0, 1000000, False),
        (1.0000005e18, 10**18, False),
        (1 + 0j, 1, True),
        (1, 1.0005, True),
        ([0.3000001], [0.3], True),
        ({"a": (0.3000001,)}, {"a": [0.3]}, True),
        (Decimal("0.30001"), 0.3, True),
        (nan, 0.3, False),
        (inf, 1e308, False),
        (inf, inf, True),
        (True, 1.0, False),
        ("0.3", 0.3, False),
        (10**400, 1.0, False),
        (1.0001 + 0j, 1.0, True),
        (1.0001 + 0j, 1, False),
        (1 + 0.1j, 1.0, False),
    ],
)
def test_numbers_within_the_tolerance(given: object, wanted: object, close: bool) -> None:
    assert equal(given, wanted, Tolerance(absolute=1e-3, relative=1e-3)) is close


def test_objects_that_equal_everything_equal_nothing() -> None:
    class Always:
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash(1)

    assert not any(equal(Always(), wanted) for wanted in (1, "a", None, True, [1], {"a": 1}, Exact({1}), Exact((1,))))


def test_sharing_and_cycles_cost_no_more_than_the_expected_value() -> None:
    shared: list[object] = [1]
    for _ in range(200):
        shared = [shared, shared]
    cycle: list[object] = []
    cycle.append(cycle)
    start = time.process_time()
    assert not equal(shared, [[[1, 1], [1, 1]], [[1, 1], [1, 2]]])
    assert not equal(cycle, [[[[1]]]])
    assert time.process_time() - start < 1


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN)
def test_a_value_equals_itself(plain: object) -> None:
    assert equal(plain, plain)
    assert equal(plain, Exact(plain))
    assert equal(plain, plain, Tolerance(0.0, 0.0))


@given(PLAIN, PLAIN)
def test_values_that_are_equal_here_are_equal_in_python_where_there_is_no_nan(one: object, other: object) -> None:
    if equal(one, other) and "nan" not in repr(one):
        assert one == other


@given(PLAIN, PLAIN)
def test_equality_is_symmetric_on_json(one: object, other: object) -> None:
    assert equal(one, other) == equal(other, one)
