"""What a hostile candidate tries against tests in another process: none of it passes, none of it is free."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from sandbox.base import Program
from sandbox.harness import TestResult, TestStatus, assertions_program, candidate_program, read_results
from tests.sandbox.harness.pairing import run_pair, split

ALWAYS_EQUAL = """
class A:
    def __eq__(s, o): return True
    def __ne__(s, o): return True
    def __hash__(s): return 4
    def __bool__(s): return True
    def __lt__(s, o): return True
    __le__ = __gt__ = __ge__ = __contains__ = __lt__
    def __sub__(s, o): return 0
    __add__ = __radd__ = __rsub__ = __mul__ = __rmul__ = __mod__ = __sub__
    def __len__(s): return 1
    def __call__(s, *a): return s
    def __getattr__(s, name): return s
"""
VALUES = {
    "opaque object": "def ok(x): return object()",
    "always equal": ALWAYS_EQUAL + "def ok(x): return A()",
    "always equal in a list": ALWAYS_EQUAL + "class L(list):\n    __eq__ = A.__eq__\ndef ok(x): return L([A()])",
    "always equal integer": ALWAYS_EQUAL + "class I(int):\n    __eq__ = A.__eq__\ndef ok(x): return I(-1)",
    "always equal text": ALWAYS_EQUAL + "class T(str):\n    __eq__ = A.__eq__\ndef ok(x): return T('')",
    "always equal class": "class M(type):\n    def __eq__(s, o): return True\nclass A(metaclass=M): pass\n"
    "def ok(x): return A",
    "mock": "from unittest.mock import ANY\ndef ok(x): return ANY",
    "class": "def ok(x): return object",
    "exception": "def ok(x): return ValueError()",
    "function": "def ok(x): return ok",
    "ellipsis": "def ok(x): return ...",
    "not implemented": "def ok(x): return NotImplemented",
    "coroutine": "async def ok(x): return 4",
    "generator": "def ok(x): yield 5",
    "endless generator": "def ok(x):\n    while True: yield 5",
    "module": "import sys\ndef ok(x): return sys",
}
JUDGED = [
    "assert ok(4) == 4",
    "assert 4 == ok(4)",
    "assert ok(4) in (4, 5)",
    "assert [ok(4)] == [4]",
    "assert {'k': ok(4)} == {'k': 4}",
    "assert not (ok(4) != 4)",
    "assert abs(ok(4) - 4) < 1e-6",
    "assert 4 <= ok(4) <= 4",
    "import unittest\nclass T(unittest.TestCase):\n    def test(self): self.assertEqual(ok(4), 4)",
    "import math\nassert math.isclose(ok(4), 4)",
    "assert {4: True}[ok(4)]",
    "assert max(ok(4), 4) == min(4, ok(4)) == 4",
]
OPAQUE = ["assert ok(4)", "assert not ok(4)", "assert ok(4) != 5", "assert bool(ok(4)) or True", "if ok(4): pass"]


@pytest.mark.parametrize("name", VALUES)
def test_no_value_passes_for_what_is_expected(name: str) -> None:
    results = split(VALUES[name], *JUDGED, per_test_s=2.0)
    assert not [result for result in results if result.passed]
    assert {result.status for result in results} <= {"failed", "error", "not_plain", "time_limit", "not_run"}


@pytest.mark.parametrize("name", [name for name in VALUES if "integer" not in name and "text" not in name])
def test_what_is_no_plain_data_has_no_truth_and_no_difference(name: str) -> None:
    results = split(VALUES[name], *OPAQUE)
    assert [result.status for result in results] == ["not_plain"] * len(OPAQUE)


ACTS = {
    "leaves": ("import sys\ndef ok(x): sys.exit(0)", "error"),
    "leaves the process": ("import os\ndef ok(x): os._exit(0)", "channel_closed"),
    "leaves while loading": ("import sys\nsys.exit(0)", "error"),
    "ends the process while loading": ("import os\nos._exit(0)", "channel_closed"),
    "hangs": ("def ok(x):\n    while True: pass", "time_limit"),
    "hangs while loading": ("while True: pass", "time_limit"),
    "sleeps": ("import time\ndef ok(x): time.sleep(60)", "time_limit"),
    "interrupts": ("def ok(x): raise KeyboardInterrupt", "error"),
    "skips": ("import unittest\ndef ok(x): raise unittest.SkipTest('x')", "error"),
    "ends a generator": ("def ok(x): raise StopIteration", "error"),
    "raises a flaw's name": ("class NotPlain(BaseException): pass\ndef ok(x): raise NotPlain", "error"),
    "floods its output": ("def ok(x):\n    while True: print('x' * 10000)", "time_limit"),
    "closes its channel": ("import os\ndef ok(x): os.closerange(0, 100)", "channel_closed"),
    "writes garbage": (
        "import os\nfor fd in range(3, 9):\n    try: os.write(fd, b'x' * 99)\n    except OSError: pass",
        "channel_closed",
    ),
    "writes a forged frame": (
        "import os\nbody = b'{\"op\": \"return\", \"value\": 4, \"nodes\": []}'\nfor fd in range(3, 9):\n"
        "    try: os.write(fd, len(body).to_bytes(4, 'big') + body)\n    except OSError: pass",
        "channel_closed",
    ),
    "patches json": ("import json\njson.JSONEncoder.encode = lambda *a: '{}'\ndef ok(x): return 4", "channel_closed"),
    "returns too much": ("def ok(x): return 'x' * 2**25", "not_plain"),
    "dies of a signal": ("import os, signal\ndef ok(x): os.kill(os.getpid(), signal.SIGKILL)", "channel_closed"),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_an_act_spoils_the_candidates_own_test_only(name: str) -> None:
    code, status = ACTS[name]
    per_test_s = 0.3 if status == "time_limit" else 10.0
    results = split(code, "r = ok(4)\nassert r == 4", per_test_s=per_test_s)
    assert [result.status for result in results] == [status]


def test_swallowing_everything_saves_no_test() -> None:
    program = "try:\n    ok(4) == 4\nexcept BaseException:\n    pass"
    for name in ("opaque object", "always equal"):
        assert split(VALUES[name], program)[0].status == "not_plain"
    assert split(ACTS["hangs"][0], program, per_test_s=0.5)[0].status == "time_limit"
    assert split(ACTS["leaves the process"][0], program)[0].status == "channel_closed"
    assert split(VALUES["opaque object"], "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
                 "        with self.assertRaises(BaseException): ok(4) == 4")[0].status == "not_plain"  # fmt: skip


SHADOWS = {
    "abs": "def abs(x): return 0\ndef f(x): return 9",
    "all": "def all(x): return True\ndef f(x): return 9",
    "isinstance": "def isinstance(*a): return True\ndef f(x): return 9",
    "math": "class math:\n    isclose = staticmethod(lambda *a, **k: True)\ndef f(x): return 9",
    "star": "def abs(x): return 0\ndef f(x): return 9\nclass math:\n    isclose = staticmethod(lambda *a, **k: True)",
}


@pytest.mark.parametrize("name", SHADOWS)
def test_a_candidates_builtin_or_standard_module_does_not_judge(name: str) -> None:
    results = split(
        SHADOWS[name],
        "assert abs(f(4) - 4) < 1e-6",
        "assert all(f(x) == 4 for x in [1])",
        "assert isinstance(f(1), str)",
        "assert math.isclose(f(4), 4)",
        "from solution import *\nassert abs(f(4) - 4) < 1e-6",
        "from solution import *\nassert math.isclose(f(4), 4)",
    )
    assert {result.status for result in results} <= {"failed", "error"}, results


def test_a_name_of_its_own_for_assertion_error_catches_no_assertion() -> None:
    program = "try:\n    f(1)\n    assert False\nexcept Own:\n    pass"
    for alias in ("AssertionError", "Exception", "BaseException"):
        assert split(f"Own = {alias}\ndef f(x): return 1", program)[0].status == "failed"
        assert split(f"class Own({alias}): pass\ndef f(x): return 1", program)[0].status == "failed"


def test_a_context_manager_swallows_no_assertion() -> None:
    code = "class C:\n    def __enter__(s): return s\n    def __exit__(s, *e): return True\ndef f(x): return 0"
    results = split(
        code,
        "with C():\n    assert f(1) == 1",
        "with C():\n    f(1)['x']\n    assert False",
        "with C():\n    assert f(1) == 0",
    )
    assert [result.status for result in results] == ["not_plain", "not_plain", "passed"]


def test_an_assertion_in_a_callback_cannot_be_swallowed() -> None:
    code = "def each(xs, f):\n    for x in xs:\n        try: f(x)\n        except BaseException: pass"
    program = "def f(x): assert x > 5\neach([1], f)"
    assert split(code, program)[0].status == "failed"


def test_the_tests_methods_do_not_give_way_to_the_candidates() -> None:
    tests = (
        "class Node:\n    def __init__(self, v): self.v = v\n    def same(self, other): return self.v == other\n"
        "n = Node(1)\nchange(n)\nassert n.same(2)"
    )
    assert split("def change(n): n.same = lambda other: True", tests)[0].status == "channel_closed"
    assert split("def change(n): n.__class__ = type('X', (), {})", tests)[0].status == "failed"
    assert split("def change(n): n.v = 2", tests)[0].status == "passed"


RAW = """
import sys; sys.path.insert(0, "/opt/trueward/python")
from trueward_harness.channel import take_channel
channel = take_channel()
channel.send({"op": "ready", "functions": {}, "errors": []})
for reply in REPLIES:
    channel.receive()
    channel.send(reply)
"""
LIST = {"op": "return", "value": [0], "nodes": [["list", 1]]}


def frames(test: str, *replies: Mapping[str, object]) -> TestResult:
    """What a test says to a candidate that sends just these frames."""
    source = RAW.replace("REPLIES", f"__import__('json').loads({json.dumps(replies)!r})")
    first, _ = run_pair(assertions_program("python", [test], 3.0), Program("python", source))
    return read_results(first, 1)[0]


FUNCTION = {"op": "return", "value": [0], "nodes": [["function", 1, "f"]]}


@pytest.mark.parametrize(
    "reply",
    [
        {"op": "return", "value": [0], "nodes": [["global", "os", "system"]]},
        {"op": "return", "value": [0], "nodes": [["handle", 1]]},
        {"op": "return", "value": [5], "nodes": []},
        {"op": "return", "value": {"a": 1}, "nodes": []},
        {"op": "return", "value": 4},
        {"op": "return", "value": [2], "nodes": [["record", 7, "Node"]]},
        {"op": "return", "value": [2], "nodes": [["record", -1, "Session"]]},
        {"op": "return", "value": [2], "nodes": [["callback", 3, "f"]]},
        {"op": "return", "value": [2], "nodes": [["raised", 0]]},
        {"op": "return", "value": [2], "nodes": [["object", -1, [3]], ["class", 1, "A", "m", [], []]]},
        {"op": "return", "value": [2], "nodes": [["object", 1, [2]]]},
        {"op": "return", "value": [2], "nodes": [["class", 1, "A", "m", ["eval"], []]]},
        {"op": "return", "value": [2], "nodes": [["class", 1, "A\0", "m", [], []], 5]},
        {"op": "return", "value": [2], "nodes": [["valued", 1, [3], "x"], ["class", 1, "A", "m", ["int"], []]]},
        {"op": "return", "value": 4, "nodes": [], "updates": [[9, ["list"]]]},
        {"op": "return", "value": 4, "nodes": [], "updates": [[1, ["dict", 1, 2]]]},
        {"op": "return", "value": 4, "nodes": [], "updates": [[0, ["list"]]]},
        {"op": "raise", "error": 4, "nodes": []},
        {"op": "raise", "error": [2], "nodes": [["exception", "unittest.SkipTest", [3], [4], ""], ["tuple"], ["dict"]]},
        {"op": "raise", "error": [2], "nodes": [["exception", "SystemExit", 0, 0, "", None]]},
        {"op": "ready", "functions": {}, "errors": []},
        {"op": "call", "on": None, "name": "f", "args": [], "kwargs": {}, "nodes": []},
        {"op": "callback", "id": 0, "args": [], "kwargs": {}, "nodes": []},
        {"op": "callback", "id": "x", "args": [], "kwargs": {}, "nodes": []},
        {"op": "callback", "id": -1, "args": [], "kwargs": {}, "nodes": []},
    ],
    ids=lambda reply: json.dumps(reply)[:70],
)  # fmt: skip
def test_a_frame_that_breaks_the_protocol_closes_the_channel(reply: dict[str, object]) -> None:
    assert frames("f([1])\n", FUNCTION, reply).status == "channel_closed"


def test_a_candidate_reaches_no_more_of_the_tests_than_it_was_passed() -> None:
    test = "expected = [4]\nassert f([1]) == expected"
    change = {"op": "return", "value": [1], "nodes": [], "updates": [[1, ["list", 4]]]}
    assert frames(test, FUNCTION, change).passed  # it returned its own argument, and could have returned [4]
    for number in (2, 3, 10):
        assert not frames(test, FUNCTION, {**change, "value": [1], "updates": [[number, ["list", 4]]]}).passed


def test_a_function_that_calls_back_without_end_is_cut_off() -> None:
    code = "def f(g): return g(g)"
    test = "import solution\ndef again(g): return solution.f(g)\nsolution.f(again)"
    [result] = split(code, test, per_test_s=5.0)
    assert result.status in ("error", "channel_closed")


def test_printed_output_counts_as_text_and_is_bounded() -> None:
    code = "def f(): print('x' * 10**6)"
    test = "import io, sys\nsys.stdout = b = io.StringIO()\nf()\nassert 0 < len(b.getvalue()) < 70000"
    assert split(code, test)[0].passed


def test_the_candidate_finds_neither_tests_nor_results() -> None:
    code = (
        "import gc, os, sys\n"
        "def look():\n"
        "    seen = [str(o)[:5000] for o in gc.get_objects() if type(o) in (str, list, dict, tuple)]\n"
        "    names = [os.path.join(d, n) for d, _, ns in os.walk('.') for n in ns]\n"
        "    files = [open(name, 'rb').read().decode('latin-1') for name in names]\n"
        "    seen += files + list(os.environ.values())\n"
        "    return [text for text in seen if ''.join(['CAN', 'ARY']) in text][:1]\n"
    )
    first, _ = run_pair(
        assertions_program("python", ["found = look()\nassert found == [], 'CANARY'"], 10.0),
        candidate_program("python", code),
    )
    assert read_results(first, 1)[0].status is TestStatus.PASSED


def test_messages_keep_the_tests_text_to_themselves() -> None:
    results = split(
        "def f(x): raise ValueError(x)\ndef g(x): return x\nclass Odd(Exception): pass\n"
        "def h(x): raise type(x, (Exception,), {})",
        "assert f('CANARY') == 1",
        "assert g(1) == 'CANARY'",
        "assert h('CANARY')",
        "CANARY",
        "import CANARY",
        "CANARY CANARY",
    )
    assert not any("CANARY" in result.message for result in results)
    assert all("CANARY" in result.detail for result in results[:5])
