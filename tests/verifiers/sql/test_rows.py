"""When two results are the same."""

from __future__ import annotations

import json
import random
import sys
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from verifiers.sql.rows import Result, _value, _written, difference, read

ROW = st.tuples(
    st.none() | st.integers(-3, 3) | st.sampled_from(["a", "b"]), st.floats(-10, 10).map(lambda x: round(x, 2))
)


def result(*rows: JsonValue) -> Result:
    width = len(rows[0]) if rows and isinstance(rows[0], list) else 0
    lines: list[JsonValue] = [{"ready": True}, {"columns": ["c"] * width}, *rows, {"end": len(rows)}]
    found = read("\n".join(map(json.dumps, lines)).encode())
    assert found.complete
    return found


def same(given: Result, wanted: Result, *, ordered: bool = False, tolerance: float = 1e-6) -> bool:
    return difference(given, wanted, ordered=ordered, tolerance=tolerance) is None


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, "1", False),
        (1, True, False),
        (None, None, True),
        (None, 0, False),
        (None, "", False),
        (0.1 + 0.2, 0.3, True),
        (1.0, 1.001, False),
        (10**18, 10**18 + 1, False),
        (1e18, 10**18 + 1, True),
        ({"decimal": "1.50"}, {"decimal": "1.5"}, True),
        ({"decimal": "1.50"}, 1.5, True),
        ({"decimal": "0.1"}, {"decimal": "0.10000001"}, False),
        ({"float": "nan"}, {"float": "nan"}, True),
        ({"float": "nan"}, 1.0, False),
        ({"float": "inf"}, {"float": "inf"}, True),
        ({"float": "inf"}, {"float": "-inf"}, False),
        ({"float": "inf"}, 1e308, False),
        ({"date": "2024-01-02"}, "2024-01-02", False),
        ({"blob": "qg=="}, {"blob": "qg=="}, True),
        ({"list": [1, 2]}, {"list": [2, 1]}, False),
    ],
)
@pytest.mark.parametrize("ordered", [True, False])
def test_values_are_compared_by_kind(a: JsonValue, b: JsonValue, equal: bool, ordered: bool) -> None:
    assert same(result([a]), result([b]), ordered=ordered) is equal
    assert same(result([b]), result([a]), ordered=ordered) is equal


@given(rows=st.lists(ROW, min_size=1, max_size=12), seed=st.integers())
@settings(max_examples=150, deadline=None)
def test_a_bag_has_no_order_and_floats_may_be_off_a_little(rows: list[tuple[JsonValue, float]], seed: int) -> None:
    shuffled = [[first, second + random.Random(seed).uniform(-4e-7, 4e-7)] for first, second in rows]
    random.Random(seed).shuffle(shuffled)
    assert same(result(*shuffled), result(*map(list, rows)))


@given(rows=st.lists(ROW, min_size=1, max_size=12), index=st.integers(0, 11))
@settings(max_examples=150, deadline=None)
def test_a_row_that_differs_is_found(rows: list[tuple[JsonValue, float]], index: int) -> None:
    changed = [list(row) for row in rows]
    changed[index % len(rows)][1] = 11.0
    assert not same(result(*changed), result(*map(list, rows)))


def test_duplicates_count() -> None:
    assert not same(result([1], [1], [2]), result([1], [2], [2]))


def test_order_counts_where_it_is_asked_for() -> None:
    assert not same(result([1], [2]), result([2], [1]), ordered=True)


def test_a_chain_of_close_floats_joins_nothing_that_is_far_apart() -> None:
    chain: list[JsonValue] = [[1 + index * 1e-6] for index in range(50)]
    flat: list[JsonValue] = [[1.0]] * 50
    assert not same(result(*chain), result(*flat))


def test_the_number_of_columns_counts_without_any_row() -> None:
    one = read(b'{"ready": true}\n{"columns": ["a"]}\n{"end": 0}')
    two = read(b'{"ready": true}\n{"columns": ["a", "b"]}\n{"end": 0}')
    assert not same(one, two)


@pytest.mark.parametrize(
    "stdout",
    [
        b"",
        b'{"ready": true}\n{"columns": ["a"]}\n[1]',
        b'{"ready": true}\n{"columns": ["a"]}\n[1]\n{"end": 2}',
        b'{"ready": true}\n{"columns": ["a"]}\n[1, 2]\n{"end": 1}',
        b'{"ready": true}\n{"columns": ["a"]}\n7\n{"end": 0}',
        b'{"ready": true}\nnonsense\n{"end": 0}',
        b'{"columns": ["a"]}\n[' + b"[" * 100_000,
        b'{"columns": ["a"]}\n[' + b"9" * 10_000 + b']\n{"end": 1}',
    ],
)
def test_a_report_that_is_cut_or_strange_is_incomplete(stdout: bytes) -> None:
    assert not read(stdout).complete


def test_rows_that_share_a_hash_are_counted_like_others() -> None:
    """Integers that differ by a multiple of the modulus hash alike: so would whole rows of them."""
    chosen = [5 + number * sys.hash_info.modulus for number in range(4)]
    assert len({hash(number) for number in chosen}) == 1
    written = {_written(_value(number)) for number in chosen}
    assert len({hash(value) for value in written}) == len(chosen)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4), st.decimals(-9, 9, allow_nan=False, places=2))
def test_exact_numbers_are_counted_by_value(one: Decimal, other: Decimal) -> None:
    for a, b in (
        (one, other),
        (one, one),
        (one, one * Decimal("1.00")),
        (other, other + 0),
        (Decimal("-0.0"), Decimal(0)),
    ):
        assert (_written(("exact", a)) == _written(("exact", b))) == (a == b)
