"""Containers that are parts of the solution's objects, and the truth of these: as in one process, no use to a liar."""

from __future__ import annotations

import pytest

from sandbox.harness.python.trueward_harness.containers import CONTAINERS, ITEMS, Shared
from tests.sandbox.harness.pairing import same_process, split

HONEST = """
from collections import defaultdict, deque
class Box:
    def __init__(self, items=None, options=None):
        self.items = [] if items is None else items
        self.options = options or {}
        self.by = defaultdict(list)
        self.queue = deque([1], maxlen=3)
        self.data = bytearray(b"abc")
    def add(self, x): self.items.append(x)
    def total(self): return sum(self.items)
    def holds(self, items): return self.items is items
    def replace(self): self.items = [0]
def changed(xs): xs.append(1)
"""
TESTS = [
    "b = Box()\nb.items.append(1)\nb.items.extend([2, 3])\nassert b.total() == 6 and b.items == [1, 2, 3]",
    "b = Box()\ni = b.items\nb.add(4)\nassert i == [4]\ni.append(5)\nassert b.total() == 9\nassert b.holds(i)",
    "b = Box()\ni = b.items\nb.replace()\ni.append(5)\nassert b.items == [0] and i == [5] and b.total() == 0",
    "xs = [3]\nb = Box(xs)\nb.add(1)\nassert xs == [3, 1] and b.items is xs\nxs.pop()\nassert b.total() == 3",
    "o = {'a': [1]}\nb = Box(None, o)\no['a'].append(2)\nassert b.options == {'a': [1, 2]} and b.options is o",
    "b = Box()\nb.by['x'].append(1)\nassert b.by == {'x': [1]}",
    "b = Box()\nb.queue.extend([2, 3, 4])\nassert list(b.queue) == [2, 3, 4]",
    "b = Box()\nb.data[0] = 122\nassert b.data == b'zbc'\ndel b.data[1:]\nassert bytes(b.data) == b'z'",
    "b, mine = Box(), []\nb.items = mine\nmine.append(6)\nassert b.total() == 6\nb.add(1)\nassert mine == [6, 1]",
    "b = Box(list(range(20000)))\nb.add(1)\nassert len(b.items) == 20001",
    "b = Box()\nb.options.update({i: [] for i in range(500)})\nassert len(b.options) == 500 and not b.total()",
    "b, c = Box(), Box()\nb.items.append(c)\nassert b.items[0] is c\nc.items.append(1)\nassert b.items[0].total() == 1",
    "b = Box()\nb.items.append(b.items)\nb.add(1)\nassert b.items[0] is b.items and b.items[1] == 1",
]


@pytest.mark.parametrize("test", TESTS)
def test_they_are_the_same_as_in_one_process(test: str) -> None:
    assert [(result.status, result.detail) for result in same_process(HONEST, test)] == [("passed", "")]
    assert [(result.status, result.detail) for result in split(HONEST, test)] == [("passed", "")]


def test_what_is_remembered_is_bounded_and_compared_by_identity() -> None:
    shared = Shared()
    for number in range(CONTAINERS + 1):
        shared.keep(number, [number])
    assert shared.find(0) is None
    assert shared.find(CONTAINERS) == [CONTAINERS]
    shared.keep(-1, [0] * (ITEMS + 1))
    assert not shared
    judge = type("AlwaysEqual", (), {"__eq__": lambda self, other: True, "__hash__": None})()
    shared.keep(1, item := [4])
    item[0] = judge
    assert list(shared.iter_changed()) == [item]


LIAR = """
import sys
exports = sys.modules["trueward_harness.exports"]
class Box:
    def __init__(self, items): pass
def f(xs): pass
def g(): pass
def lie(updates, nodes=()):
    exports.Exporter.updates = lambda self, sent, objects: updates(sent)
    exports.Exporter.refresh = lambda self: self.nodes.extend(nodes)
"""
ALL = "[[i, ['shared', 7, 'list', 666]] for i, node in enumerate(sent) if node[0] in ('list', 'shared')]"


@pytest.mark.parametrize(
    ("lie", "test", "status"),
    [
        # what a function got it may change, but not take over for later
        (f"lie(lambda sent: {ALL})", "x = [1]\nf(x)\nassert x == [666]\nx[:] = [1]\ng()\nassert x == [1]", "passed"),
        (f"lie(lambda sent: {ALL}, [['shared', 7, 'list', 5]])", "xs = [1]\nf(xs)", "channel_closed"),
        ("lie(lambda sent: [], [['shared', 'x', 'list']])", "f([1])", "channel_closed"),
        ("lie(lambda sent: [], [['shared', 1]])", "f([1])", "channel_closed"),
        ("lie(lambda sent: [], [['shared', 1, 'tuple', 2]])", "f([1])", "channel_closed"),
        ("lie(lambda sent: [], [['shared', 1, 'list'], ['shared', 1, 'set']])", "f([1])", "channel_closed"),
        ("lie(lambda sent: [], [['shared', n, 'list'] for n in range(100000)])", "f([1])", "passed"),
    ],
)  # fmt: skip
def test_a_liar_changes_nothing_that_it_was_not_given(lie: str, test: str, status: str) -> None:
    assert [str(result.status) for result in split(LIAR + lie, test)] == [status]


@pytest.mark.parametrize(
    ("method", "status"),
    [
        ("def __bool__(self): return True", "not_plain"),
        ("def __bool__(self): return 1", "error"),
        ("def __bool__(self): raise ValueError", "error"),
        ("def __len__(self): return 1", "not_plain"),
        ("value = 1", "not_plain"),
    ],
)
def test_the_truth_of_an_object_alone_passes_nothing(method: str, status: str) -> None:
    code = f"class A:\n    {method}\ndef ok(x): return A()\ndef other(x): return A()"
    tests = ["assert ok(4)", "a = other(4)\nassert ok(4)\na.__class__", "assert all(ok(n) for n in range(3))"]
    assert [str(result.status) for result in split(code, *tests)] == [status] * 3


def test_a_test_may_use_the_truth_of_an_object_that_it_looks_into() -> None:
    code = "class N:\n    def __init__(self, v, n=None): self.v, self.n = v, n\ndef last(n): return n"
    tests = [
        "n, out = N(1, N(2)), []\nwhile n:\n    out.append(n.v)\n    n = n.n\nassert out == [1, 2]",
        "def depth(n): return 1 + depth(n.n) if n else 0\nassert depth(N(1, N(2))) == 2",
        "n = last(N(5))\nassert n and n.v == 5",
        "n = last(N(5))\nassert n and n.v == 6",
        "assert last(N(5)).v == 5\nassert last(N(6))",
        "n = N(1, N(2))\nwhile n != None:\n    x, n = n.v, n.n\nassert x == 2 and N(1).n == None",
        "assert last(N(5)) != None",
        "assert not last(N(5)) == None",
        "assert vars(N(5)) == {'v': 5, 'n': None} and N(6).__dict__['v'] == 6",
    ]
    statuses = ["passed", "passed", "passed", "failed", "not_plain", "passed", "not_plain", "not_plain", "passed"]
    assert [str(result.status) for result in split(code, *tests)] == statuses
