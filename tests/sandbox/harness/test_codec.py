"""Plain data survives the way there and back with its exact types, sharing and cycles; nothing else gets in."""

from __future__ import annotations

import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.harness.python.trueward_harness.channel import pack_frame, parse_frame
from sandbox.harness.python.trueward_harness.decoder import Decoder
from sandbox.harness.python.trueward_harness.encoder import Encoder
from sandbox.harness.python.trueward_harness.limits import EQUAL_HASHES, Malformed, Unencodable

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(2**52, 2**80)
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False)
    | st.decimals(allow_nan=False, allow_infinity=False, places=3)
    | st.fractions()
    | st.dates()
    | st.times()
    | st.datetimes()
    | st.timedeltas()
)
HASHABLE = st.recursive(SCALARS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.sets(HASHABLE, max_size=3)
        | st.lists(inner, max_size=3).map(deque)
        | st.dictionaries(HASHABLE, inner, max_size=3).map(OrderedDict)
    ),
    max_leaves=12,
)


def sent(value: object) -> Any:
    """What arrives of a value, by way of the bytes of a frame."""
    encoder = Encoder()
    encoded = encoder.value(value)
    frame = parse_frame(pack_frame({"op": "return", "value": encoded, "nodes": encoder.nodes})[4:])
    return Decoder(frame["nodes"]).value(frame["value"])


def received(*nodes: Sequence[object]) -> Any:
    """What is made of hand-written nodes."""
    return Decoder(json.loads(json.dumps(list(nodes)))).value([0])


def shape(value: Any) -> object:
    """A value with the type of everything in it; sets without their order."""
    if isinstance(value, set | frozenset):
        return type(value), frozenset(map(shape, value))
    if isinstance(value, list | tuple | deque):
        return type(value), tuple(map(shape, value))
    if isinstance(value, dict):
        return type(value), tuple((shape(key), shape(item)) for key, item in value.items())
    return type(value), repr(value)


@given(VALUES)
def test_plain_data_arrives_as_it_was(value: object) -> None:
    arrived = sent(value)
    assert arrived == value
    assert shape(arrived) == shape(value)


@pytest.mark.parametrize(
    "value",
    [
        Counter("aab"),
        defaultdict(list, a=[1]),
        deque([1, 2], maxlen=2),
        range(1, 10, 3),
        slice(1, None, 2),
        bytearray(b"\x00\xff"),
        -0.0,
        math.inf,
        10**5000,
        "\ud800",
        datetime(2024, 1, 2, 3, 4, 5, 6, UTC, fold=1),
        time(1, 2, tzinfo=timezone(timedelta(hours=5), "east")),
        {1: {}}.keys(),
        {1: 2}.items(),
        [True, 1, 1.0],
        {"b": 1, "a": 2},
        Decimal("-0.10"),
        Fraction(-1, 3),
        date(2024, 2, 29),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_type_keeps_its_kind(value: object) -> None:
    arrived = sent(value)
    assert type(arrived) is type(value)
    assert arrived == value
    if not isinstance(value, int):
        assert repr(arrived) == repr(value)


def test_views_of_values_and_nan_arrive_too() -> None:
    assert list(sent({1: 2}.values())) == [2]
    assert math.isnan(sent(math.nan))
    assert sent(defaultdict(list))["new"] == []


def test_sharing_and_cycles_are_kept() -> None:
    shared = [1]
    arrived = sent({"a": shared, "b": (shared, shared)})
    assert arrived["a"] is arrived["b"][0] is arrived["b"][1]
    cycle: list[Any] = [1]
    cycle.append((cycle,))
    arrived = sent(cycle)
    assert arrived[1][0] is arrived


def test_depth_costs_nothing() -> None:
    value: list[Any] = []
    for _ in range(50_000):
        value = [value]
    arrived, depth = sent(value), 0
    while arrived:
        arrived, depth = arrived[0], depth + 1
    assert depth == 50_000


@pytest.mark.parametrize("value", [object(), len, iter([]), ValueError(), type, ..., [object()], {1: print}])
def test_what_is_no_plain_data_is_refused(value: object) -> None:
    with pytest.raises(Unencodable):
        Encoder().value(value)


def test_a_class_that_claims_a_name_is_not_taken_for_it() -> None:
    fake = type("Decimal", (), {"__module__": "decimal"})()
    with pytest.raises(Unencodable):
        Encoder().value(fake)


@pytest.mark.parametrize(
    "nodes",
    [
        [["unknown"]],
        [["object", 1, [0]]],
        [["global", "os", "system"]],
        [["list", [1]]],
        [["list", [-1]]],
        [["list", [True]]],
        [["list", [[0]]]],
        [["tuple", [0]]],
        [["tuple", [1]], ["frozenset", [0]]],
        [["dict", 1]],
        [["dict", [1], 1], ["list"]],
        [["int", "zz"]],
        [["int", 5]],
        [["float", "1.5"]],
        [["bytes", "0"]],
        [["decimal", "1e999999999"]],
        [["decimal", 1]],
        [["fraction", 1, 0]],
        [["fraction", "1e99999999", None]],
        [["range", 1, 2, 0]],
        [["date", 0, 0, 0]],
        [["defaultdict", "eval"]],
        [["defaultdict", 5]],
        [["deque", -1]],
        [["timedelta", "x", 0, 0]],
        [[]],
        [["set", [1]], ["list"]],
        ["list"],
        None,
    ],
    ids=str,
)
def test_a_broken_table_is_malformed_and_nothing_else(nodes: Any) -> None:
    with pytest.raises(Malformed):
        Decoder(nodes)


def test_a_hash_that_would_take_for_ever_is_refused() -> None:
    laughs = [["tuple", [i + 1], [i + 1]] for i in range(60)]
    with pytest.raises(Malformed, match="too large"):
        received(*laughs, ["tuple", 1])
    with pytest.raises(Malformed, match="too deep"):
        received(*[["tuple", [i + 1]] for i in range(20_000)], ["tuple"])


def test_keys_of_one_hash_are_refused() -> None:
    colliding = [i * (2**61 - 1) for i in range(EQUAL_HASHES + 2)]
    encoder = Encoder()
    encoder.value(colliding)
    nodes = [["set", *encoder.nodes[0][1:]], *encoder.nodes[1:]]
    with pytest.raises(Malformed, match="same hash"):
        Decoder(nodes)


def test_an_update_reaches_only_what_was_sent_and_keeps_its_kind() -> None:
    known: list[object] = [[1], (1,), {}]
    Decoder([["list", 5]], known, [[0, ["list", 2, [3]]]])
    assert known[0] == [2, [5]]
    for update in ([1, ["tuple", 9]], [2, ["list", 9]], [3, ["list", 9]], [-1, ["list"]], [0], [0, "list"]):
        with pytest.raises(Malformed):
            Decoder([["list"]], known, [update])
