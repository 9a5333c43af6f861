"""No solution has a say in which tests there are: one that vanishes, or is skipped with its file, is never a pass."""

from __future__ import annotations

import pytest

from tests.sandbox.harness.pairing import split
from tests.sandbox.harness.test_suites import run

RIGHT = """
import functools
def deco(function):
    @functools.wraps(function)
    def wrapped(*given): return function(*given)
    return wrapped
def f(x): return x + 1
"""
HOSTILE = ("def deco(function): return 5\ndef f(x): return 0", "x = 1", "deco = f = None")
OTHER = {"test_other.py": b"import unittest\nclass Other(unittest.TestCase):\n    def test(self): pass\n"}
CASE = "import unittest, solution\nfrom solution import deco\n"
DECIDED = {
    "a function": "from solution import deco\n@deco\ndef test_f(): assert deco",
    "by its module": "import solution\n@solution.deco\nasync def test_f(): assert solution.f(1) == 2",
    "by another name": "import solution\nmine = solution.deco\n@mine\ndef test_f(): assert solution.f(1) == 2",
    "by a decorator of its own": (
        "from solution import deco\ndef mine(test): return deco(test)\n@mine\ndef test_f(): assert False"
    ),
    "a method": f"{CASE}class T(unittest.TestCase):\n    @deco\n    def test_f(self): self.assertTrue(False)",
    "a class": f"{CASE}@deco\nclass T(unittest.TestCase):\n    def test_f(self): self.assertTrue(False)",
    "a condition": "import solution\nif hasattr(solution, 'f'):\n    def test_f(): assert solution.f(1) == 2",
    "a loop": "from solution import f\nfor n in f(1):\n    def test_f(): assert f(1) == 2",
}


@pytest.mark.parametrize("text", DECIDED.values(), ids=DECIDED)
@pytest.mark.parametrize("command", ["pytest", "python -m unittest"])
def test_a_test_that_the_solution_may_remove_needs_one_process(text: str, command: str) -> None:
    for solution in (RIGHT, *HOSTILE):
        found = run(solution, {"test_f.py": text.encode(), **OTHER}, command)
        assert {result.status.value for result in found.values()} == {"unsupported"}, (solution, found)


@pytest.mark.parametrize("text", DECIDED.values(), ids=DECIDED)
def test_the_same_of_assertions(text: str) -> None:
    for solution in (RIGHT, *HOSTILE):
        assert [result.status.value for result in split(solution, text)] == ["unsupported"]


JUDGED = {
    "marks of pytest": (
        "import pytest\nfrom solution import f\nassert pytest.approx(f(1)) == 2\n"
        "@pytest.mark.parametrize('call', [f])\ndef test_f(call): assert call(1) == 2"
    ),
    "a function of the tests'": (
        "from solution import f\ndef own(test): return test\n@own\ndef test_f(): assert f(1) == 2"
    ),
    "a helper within": (
        "from solution import deco, f\ndef test_f():\n    @deco\n    def test_it(): return f(1)\n"
        "    assert test_it() == 2"
    ),
    "a helper that is called": (
        "from solution import deco, f\n@deco\ndef test_it(): return f(1)\ndef test_f(): assert test_it() == 2"
    ),
    "a condition of its own": "import sys\nfrom solution import f\nif sys.path:\n    def test_f(): assert f(1) == 2",
}


@pytest.mark.parametrize("text", JUDGED.values(), ids=JUDGED)
def test_all_others_are_judged(text: str) -> None:
    right, wrong = (run(code, {"test_f.py": text.encode()}, "pytest") for code in (RIGHT, RIGHT.replace("+ 1", "")))
    assert all(result.passed for result in right.values())
    assert not all(result.passed for result in wrong.values())


SKIPPED = {
    "it lacks a name": "if not hasattr(solution, 'f'):\n    pytest.skip('no', allow_module_level=True)",
    "it cannot be imported": (
        "try:\n    from solution import f\nexcept ImportError:\n    pytest.skip('no', allow_module_level=True)"
    ),
    "of what it says": "if solution.g():\n    pytest.skip('no', allow_module_level=True)",
}


@pytest.mark.parametrize("text", SKIPPED.values(), ids=SKIPPED)
def test_a_file_that_is_skipped_because_of_the_solution_is_not_passed(text: str) -> None:
    file = f"import pytest, solution\n{text}\ndef test_f(): assert solution.f(1) == 2\n".encode()
    found = run("def g(): return 1", {"test_f.py": file, **OTHER}, "pytest")
    assert sorted(result.status.value for result in found.values()) == ["passed", "skipped"]


def test_a_file_that_its_author_skips_is_nobodys() -> None:
    file = b"import pytest\npytest.importorskip('nowhere')\nfrom solution import f\ndef test_f(): assert f(1) == 2\n"
    for others, status in (({}, "bad_test"), (OTHER, "passed")):
        found = run(RIGHT, {"test_f.py": file, **others}, "pytest")
        assert [result.status.value for result in found.values()] == [status]
