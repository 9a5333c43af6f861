"""Reading what a candidate sends takes work in proportion to its length, and never more than is allowed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.harness import NotPlain, Raised, Returned, results_of
from sandbox.harness.python.trueward_harness.channel import pack_frame
from sandbox.harness.python.trueward_harness.decoder import Decoder
from sandbox.harness.python.trueward_harness.encoder import Encoder
from sandbox.harness.python.trueward_harness.limits import Malformed

Nodes = list[list[Any]]


def _steps(work: Callable[[], object]) -> int:
    """How many functions were called, each step of a generator counted: the same on every machine."""
    count = 0

    def step(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def _encoded(value: object) -> Nodes:
    encoder = Encoder()
    encoder.value(value)
    return encoder.nodes


def _star(kind: str) -> Callable[[int], Nodes]:
    return lambda size: [[kind, *([number] for number in range(1, size + 1))], *([[kind]] * size)]


SHAPES: dict[str, Callable[[int], Nodes]] = {
    "pairs": lambda size: _encoded([[number, number] for number in range(size)]),
    "pairs in a tuple": lambda size: _encoded(tuple((number,) for number in range(size))),
    "a tuple of empty tuples": _star("tuple"),
    "a list of empty lists": _star("list"),
    "frozensets": _star("frozenset"),
    "a dict of dicts": lambda size: _encoded({number: {number: number} for number in range(size)}),
    "keys": lambda size: _encoded({(number, number): number for number in range(size)}),
    "a chain of lists": lambda size: [*(["list", [number]] for number in range(1, size)), ["list"]],
    "a chain of tuples": lambda size: [*(["tuple", [number]] for number in range(1, size)), ["tuple"]],
    "a chain backwards": lambda size: [["tuple"], *(["tuple", [number]] for number in range(size))],
    "one part of many": lambda size: [*(["list", [size], [size]] for _ in range(size)), ["tuple", 1, 2]],
    "all of one": lambda size: [["list", *([1] for _ in range(size))], ["tuple", 1]],
    "a bag of a bag": lambda size: [["set", [1]], ["frozenset", *range(size)]],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_four_times_as_much_takes_about_four_times_the_work(shape: str) -> None:
    def work(size: int) -> Callable[[], object]:
        frame = pack_frame({"op": "return", "value": [0], "nodes": SHAPES[shape](size)})
        return lambda: list(results_of(frame))

    assert _steps(work(2000)) < 6 * _steps(work(500))


def test_one_tuple_as_a_part_of_many_sets_is_not_hashed_for_ever() -> None:
    """Python does not remember the hash of a tuple: each of these would take a tenth of a second."""
    doubled: Nodes = [["tuple", [number + 1], [number + 1]] for number in range(17)]
    nodes = [*doubled, ["tuple", 1, 2], *([["set", [0]]] * 5000)]
    with pytest.raises(Malformed, match="too much is hashed"):
        Decoder(nodes)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.dictionaries(st.integers() | st.text() | st.tuples(st.integers(), st.text()), inner),
        st.sets(st.integers() | st.frozensets(st.integers())),
    ),
    max_leaves=50,
)


@given(VALUES)
def test_a_nested_value_comes_as_it_was(value: object) -> None:
    encoder = Encoder()
    frame = pack_frame({"op": "return", "value": encoder.value(value), "nodes": encoder.nodes})
    assert list(results_of(frame)) == [Returned(value)]


ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["9" * 5000, "1e999999999", "f" * 5000, "-", "nan", "ff"]),
    st.integers(-1, 8).map(lambda number: [number]),
    st.just({}),
    st.just([[0], [1]]),
)
KINDS = st.sampled_from(
    [
        *("int", "float", "complex", "bytes", "bytearray", "list", "tuple", "set", "frozenset", "dict", "ordereddict"),
        *("counter", "defaultdict", "deque", "keys", "values", "items", "range", "slice", "decimal", "fraction"),
        *("date", "time", "datetime", "timedelta", "timezone", "map", "undefined", "jsdate", "object", "class", "x"),
    ]
)
NODES = st.lists(st.builds(lambda kind, parts: [kind, *parts], KINDS, st.lists(ATOMS, max_size=9)), max_size=9)
FRAMES = st.fixed_dictionaries(
    {"op": st.sampled_from(["return", "raise", "not_plain", "ready"])},
    optional={"value": ATOMS, "nodes": NODES | ATOMS, "type": ATOMS, "message": ATOMS, "reason": ATOMS},
)


@given(st.lists(FRAMES, max_size=4), st.binary(max_size=20))
def test_whatever_a_candidate_sends_gives_results_and_no_exception(frames: list[object], rest: bytes) -> None:
    bodies = [json.dumps(frame).encode() for frame in frames]
    stdout = b"".join(len(body).to_bytes(4, "big") + body for body in bodies) + rest
    assert all(isinstance(result, Returned | Raised | NotPlain) for result in results_of(stdout))
