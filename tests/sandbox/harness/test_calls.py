"""Calls: the candidate answers with plain data, and the host takes nothing else from it."""

from __future__ import annotations

import json

import pytest

from sandbox.base import Program
from sandbox.harness import (
    Call,
    Instance,
    MethodCall,
    NotPlain,
    Raised,
    Result,
    Returned,
    calls_program,
    encode_calls,
    results_of,
)
from sandbox.harness.calls import DEPTH
from sandbox.harness.python.trueward_harness.channel import pack_frame
from tests.sandbox.harness.pairing import run_alone

CODE = """
import sys
from collections import Counter, namedtuple
from enum import IntEnum
Point = namedtuple("Point", "x y")
class Level(IntEnum):
    HIGH = 2
class Text(str):
    def __eq__(self, other): return True
    __hash__ = str.__hash__
class Rows(list): pass
class Stack:
    def __init__(self, *items): self.items = list(items)
    def push(self, x): self.items.append(x)
    def pop(self): return self.items.pop()
    def size(self): return len(self.items)
    @staticmethod
    def name(): return "stack"
    @classmethod
    def of(cls, *items): return cls(*items).size()
def add(a, b=1): return a + b
def results():
    return Point(1, 2), Level.HIGH, Text("no"), Rows([1]), Counter("aa"), {1, 2}, (1.5, None)
def echo(*args, **kwargs):
    print("noise on stdout")
    return args, kwargs
def read(): return sys.stdin.read()
def leave(code): sys.exit(code)
def opaque(): return object()
def generator(): yield 1
def cyclic():
    x = []
    x.append(x)
    return x
def deep():
    x = []
    for _ in range(1000): x = [x]
    return x
def laughs():
    x = [1]
    for _ in range(60): x = [x, x]
    return x
"""


def results(code: str, *calls: Call | Instance) -> list[Result]:
    return list(results_of(run_alone(calls_program("python", code), encode_calls(calls)).stdout))


def test_functions_return_plain_data() -> None:
    assert results(CODE, Call("add", (2,), {"b": 3}), Call("add", ("a", "b")), Call("results")) == [
        Returned(5),
        Returned("ab"),
        Returned(((1, 2), 2, "no", [1], {"a": 2}, {1, 2}, (1.5, None))),
    ]


def test_what_comes_back_is_of_builtin_types_only() -> None:
    [result] = results(CODE, Call("results"))
    assert isinstance(result, Returned)
    assert isinstance(result.value, tuple)
    assert [type(item) for item in result.value[:4]] == [tuple, int, str, list]


def test_arguments_keep_their_types_and_prints_stay_out_of_the_channel() -> None:
    value = ({"k": (1, {2}, b"x")}, 10**30, float("inf"))
    assert results(CODE, Call("echo", value, {"z": None}), Call("read")) == [
        Returned((value, {"z": None})),
        Returned(""),
    ]


def test_methods_run_on_a_fresh_instance_or_on_one_that_keeps_its_state() -> None:
    methods = (MethodCall("push", (5,)), MethodCall("size"), MethodCall("pop"), MethodCall("missing"))
    assert results(
        CODE,
        Call("Stack.size"),
        Call("Stack.name"),
        Call("Stack.of", (1, 2)),
        Instance("Stack", methods, (7,)),
        Instance("Absent", methods[:2]),
        Call("add", (1,)),
    ) == [
        Returned(0),
        Returned("stack"),
        Returned(2),
        Returned(None),
        Returned(2),
        Returned(5),
        Raised("AttributeError", "'Stack' object has no attribute 'missing'"),
        Raised("AttributeError", "module 'solution' has no attribute 'Absent'"),
        Raised("AttributeError", "module 'solution' has no attribute 'Absent'"),
        Returned(2),
    ]


def test_exceptions_and_exits_are_answers() -> None:
    assert results(CODE, Call("add"), Call("leave", (0,)), Call("add", (1,)))[1:] == [
        Raised("SystemExit", "0"),
        Returned(2),
    ]


@pytest.mark.parametrize("name", ["opaque", "generator", "cyclic", "deep", "laughs"])
def test_what_is_no_plain_tree_of_bounded_size_is_not_plain(name: str) -> None:
    [result, after] = results(CODE, Call(name), Call("add", (1,)))
    assert isinstance(result, NotPlain)
    assert after == Returned(2)


def test_a_solution_that_does_not_load_answers_each_call_with_that() -> None:
    assert results("raise ValueError('no')", Call("f"), Call("g")) == [Raised("ValueError", "no")] * 2
    assert results("def f(:", Call("f"))[0].__class__ is Raised


def test_a_sudden_end_leaves_the_rest_out() -> None:
    assert results("import os\ndef f(x):\n    if x: os._exit(0)\n    return x", Call("f", (0,)), Call("f", (1,))) == [
        Returned(0)
    ]
    assert results("import os\nos._exit(0)", Call("f")) == []


def answer(nodes: list[list[object]]) -> bytes:
    return pack_frame({"op": "return", "value": [0], "nodes": nodes})


@pytest.mark.parametrize(
    "nodes",
    [
        [["object", 1, [1]], ["class", 2, "A", "solution", [], []]],
        [["exception", "ValueError", [1], [2], "", None], ["tuple"], ["dict"]],
        [["callback", 0, "f"]],
        [["record", 0, "Node"]],
        [["global", "os", "system"]],
        [["list", [0]]],
        [["list", [i + 1]] for i in range(DEPTH)] + [["list"]],
        [["list", [i + 1], [i + 1]] for i in range(30)] + [["list"]],
    ],
)
def test_the_host_makes_nothing_but_bounded_data_of_what_comes(nodes: list[list[object]]) -> None:
    [result] = results_of(answer(nodes))
    assert isinstance(result, NotPlain)


def test_a_cut_or_broken_tail_is_missing_and_nothing_after_it_counts() -> None:
    good = answer([["list", 1]])
    assert list(results_of(good + good[:-1])) == [Returned([1])]
    assert list(results_of(b"\x00\x00\x00\x02{]" + good)) == []
    assert list(results_of(good + b"\xff\xff\xff\xff" + good)) == [Returned([1])]
    assert list(results_of(pack_frame({"op": "what"}) + good)) == []
    assert list(results_of(b"")) == []


def test_other_languages_values_become_the_nearest() -> None:
    assert list(results_of(answer([["map", 1, [1], "k", None], ["undefined"]]))) == [Returned({1: None, "k": None})]


def test_the_program_needs_nothing_but_the_sandbox() -> None:
    program = calls_program("python", "x = 1")
    assert isinstance(program, Program)
    assert program.files == {"candidate.py": b"x = 1"}
    assert "/opt/trueward/python" in program.source
    assert json.dumps(program.source).count("\\n") == 2
