"""Test files with pytest, unittest or as scripts, against a solution in a process of its own."""

from __future__ import annotations

import pytest

from sandbox.harness import TestResult, candidate_program, command_program, read_results
from tests.sandbox.harness.pairing import run_pair

RIGHT = """
class Account:
    def __init__(self, balance=0): self.balance = balance
    def withdraw(self, n):
        if n > self.balance: raise Overdrawn(n - self.balance)
        self.balance -= n
        return self.balance
class Overdrawn(Exception):
    def __init__(self, by):
        super().__init__(f"overdrawn by {by}")
        self.by = by
def mean(xs): return sum(xs) / len(xs)
def greet(name): print(f"Hello {name}")
"""
WRONG = RIGHT.replace("sum(xs) / len(xs)", "sum(xs)").replace("self.balance -= n", "self.balance = 0")
PYTEST = b"""
import pytest
from solution import *
from solution import Account, Overdrawn, mean, greet

@pytest.fixture
def account():
    return Account(10)

def test_withdraw(account):
    assert account.withdraw(3) == 7

def test_overdrawn(account):
    with pytest.raises(Overdrawn, match="overdrawn by 5") as caught:
        account.withdraw(15)
    assert caught.value.by == 5
    with pytest.raises(Exception):
        account.withdraw(15)

@pytest.mark.parametrize("xs, expected", [([1, 2], 1.5), ([0.1, 0.2, 0.3], 0.2)])
def test_mean(xs, expected):
    assert mean(xs) == pytest.approx(expected)

def test_greet(capsys):
    greet("Bob")
    assert capsys.readouterr().out == "Hello Bob\\n"

class TestGroup:
    def test_empty(self):
        with pytest.raises(ZeroDivisionError):
            mean([])

@pytest.mark.skip
def test_never(): assert False
"""
UNITTEST = b"""
import unittest
import solution
from solution import Account

class TestAccount(unittest.TestCase):
    def setUp(self):
        self.account = Account(10)
    def test_withdraw(self):
        self.assertEqual(self.account.withdraw(3), 7)
    def test_overdrawn(self):
        with self.assertRaisesRegex(solution.Overdrawn, "by 5"):
            self.account.withdraw(15)
    def test_mean(self):
        for xs, expected in (([1, 2], 1.5), ([3], 3)):
            with self.subTest(xs=xs):
                self.assertAlmostEqual(solution.mean(xs), expected)
    @unittest.skip("later")
    def test_never(self):
        self.fail()
"""


def run(
    code: str, files: dict[str, bytes], command: str, per_test_s: float = 5.0, *, judged: bool = False
) -> dict[str, TestResult]:
    suite = command_program("python", files, command, per_test_s, judged=judged)
    first, _ = run_pair(suite, candidate_program("python", code), 30.0)
    return {result.name: result for result in read_results(first)}


def statuses(results: dict[str, TestResult]) -> dict[str, str]:
    short = {name.rpartition("::")[2] if "::" in name else name.rpartition(".")[2]: name for name in results}
    return {name: results[whole].status.value for name, whole in short.items()}


@pytest.mark.parametrize("command", ["pytest", "pytest -x -q test_account.py", "python -m pytest test_account.py"])
def test_pytest_reports_each_test(command: str) -> None:
    found = statuses(run(RIGHT, {"test_account.py": PYTEST}, command))
    assert set(found.values()) == {"passed", "skipped"}
    assert len(found) == 7
    assert found["test_never"] == "skipped"


def test_pytest_fails_what_is_wrong_and_only_that() -> None:
    found = statuses(run(WRONG, {"test_account.py": PYTEST}, "pytest"))
    assert [name for name, status in found.items() if status == "failed"] == [
        "test_withdraw",
        "test_mean[xs0-1.5]",
        "test_mean[xs1-0.2]",
        "test_empty",
    ]


@pytest.mark.parametrize(
    "command", ["python -m unittest", "unittest test_account", "python -m unittest test_account.TestAccount -v"]
)
def test_unittest_reports_each_test(command: str) -> None:
    files = {"test_account.py": UNITTEST}
    assert statuses(run(RIGHT, files, command)) == {
        "test_mean": "passed",
        "test_never": "skipped",
        "test_overdrawn": "passed",
        "test_withdraw": "passed",
    }
    assert statuses(run(WRONG, files, command)) == {
        "test_mean": "failed",
        "test_never": "skipped",
        "test_overdrawn": "passed",
        "test_withdraw": "failed",
    }


def test_a_script_is_one_test() -> None:
    script = {
        "run.py": b"import sys, solution\nassert solution.mean([1, 2]) == 1.5\nassert sys.argv == ['run.py', 'a']\n"
    }
    assert statuses(run(RIGHT, script, "python run.py a")) == {"py": "passed"}
    assert statuses(run(WRONG, script, "python3 run.py a")) == {"py": "failed"}
    main = {"run.py": UNITTEST + b"\nunittest.main()\n"}
    assert statuses(run(RIGHT, main, "python run.py")) == {"py": "passed"}
    assert statuses(run(WRONG, main, "python run.py")) == {"py": "error"}


ENDS = {
    "by its own exit code": "ok = mean([1, 2]) == 1.5\nsys.exit(0 if ok else 1)",
    "by a truth": "sys.exit(mean([1, 2]) != 1.5)",
    "in a function": "def main(): return int(mean([1, 2]) != 1.5)\nif __name__ == '__main__': sys.exit(main())",
    "by a builtin": "assert mean([1, 2]) == 1.5\nexit()",
    "before its tests": "def test_mean():\n    assert mean([1, 2]) == 1.5\nraise SystemExit",
}


@pytest.mark.parametrize("text", ENDS.values(), ids=ENDS)
def test_a_script_may_end_itself(text: str) -> None:
    script = {"run.py": f"import sys\nfrom solution import mean\n{text}\n".encode()}
    assert statuses(run(RIGHT, script, "python run.py")) == {"py": "passed"}
    assert statuses(run(WRONG, script, "python run.py"))["py"] in ("failed", "error")


@pytest.mark.parametrize(
    ("solution", "text"),
    [
        ("def f(): raise SystemExit(0)", "f()"),
        ("def f(leave): leave()", "f(lambda: sys.exit(0))"),
        ("class Zero(int):\n    def __bool__(self): return False\ndef f(): return Zero(5)", "sys.exit(f())"),
    ],
)
def test_no_solution_ends_a_script(solution: str, text: str) -> None:
    script = {"run.py": f"import sys\nfrom solution import f\n{text}\nassert f(sys.exit) == 3\n".encode()}
    assert statuses(run(solution, script, "python run.py")) == {"py": "error"}


def test_helper_files_are_found() -> None:
    files = {"helpers/__init__.py": b"", "helpers/data.py": b"XS = [1, 2]", "tests/test_it.py":
             b"from helpers.data import XS\nfrom solution import *\ndef test_it(): assert mean(XS) > 1"}  # fmt: skip
    assert statuses(run(RIGHT, files, "pytest tests")) == {"test_it": "passed"}


HOSTILE = {
    "exits": "import os\ndef f(x): os._exit(0)",
    "leaves": "import sys\ndef f(x): sys.exit(0)",
    "interrupts": "def f(x): raise KeyboardInterrupt",
    "skips": "import unittest\ndef f(x): raise unittest.SkipTest('x')",
    "looks like pytest's": "class Skipped(BaseException): pass\ndef f(x): raise Skipped",
    "opaque": "def f(x): return object()",
    "always equal": "class A:\n    def __eq__(s, o): return True\n    __hash__ = None\ndef f(x): return A()",
    "hangs": "def f(x):\n    while True: pass",
    "names of the tests": "def f(x): return 0\nclass unittest:\n    TestCase = object\ndef TestF(): pass",
    "hooks": "def f(x): return 0\ndef load_tests(*a): return None\ndef pytest_generate_tests(m): pass\n"
    "def setup_module(): raise ValueError\npytestmark = 5\ndef setUpModule(): raise ValueError",
    "does not load": "raise SystemExit(0)",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("command", ["pytest", "python -m unittest", "python test_f.py"])
def test_no_hostile_candidate_passes(name: str, command: str) -> None:
    files = {"test_f.py": b"import unittest\nfrom solution import *\nfrom solution import f\n"
             b"class TestF(unittest.TestCase):\n    def test_one(self): self.assertEqual(f(1), 2)\n"
             b"    def test_two(self): assert f(1) in [2, 3]\n"
             b"if __name__ == '__main__': unittest.main()\n"}  # fmt: skip
    found = run(HOSTILE[name], files, command, 0.3 if name == "hangs" else 5.0)
    assert found
    assert not [result for result in found.values() if result.passed]
    blamed = {result.status.value for result in found.values()}
    assert blamed <= {"failed", "error", "not_plain", "time_limit", "channel_closed", "not_run"}
    assert blamed != {"not_run"}


@pytest.mark.parametrize("command", ["pytest", "python -m unittest", "python test_f.py"])
@pytest.mark.parametrize(
    ("file", "status"),
    [
        (b"import nowhere\n", "bad_test"),
        (b"def f(:\n", "bad_test"),
        (b"from solution import missing\n", "error"),
        (b"import solution\nsolution.mean([])\n", "error"),
    ],
)
def test_a_broken_test_file_is_told_from_a_broken_solution(command: str, file: bytes, status: str) -> None:
    found = run(RIGHT, {"test_f.py": file}, command)
    assert {result.status.value for result in found.values()} == {status}


@pytest.mark.parametrize("command", ["pytest", "python -m unittest", "pytest --nonsense"])
def test_no_tests_at_all_is_the_callers_doing(command: str) -> None:
    found = run(RIGHT, {"data.txt": b""}, command)
    assert {result.status.value for result in found.values()} == {"bad_test"}


def test_a_star_import_overwrites_no_name_of_the_tests() -> None:
    file = (
        b"import math\nfrom math import isclose\ndef close(a, b): return abs(a - b) < 1e-9\nLIMIT = 5\n"
        b"from solution import *\n"
        b"def test_one(): assert isclose(f(1), 2)\ndef test_two(): assert close(f(1), 2)\n"
        b"def test_three(): assert math.isclose(f(1), 2)\ndef test_four(): assert f(1) > LIMIT\n"
        b"def test_five(): assert f(1) == 0 and helper() == 3\n"
    )
    code = (
        "def f(x): return 0\ndef isclose(*a): return True\nclose = isclose\nLIMIT = -1\ndef helper(): return 3\n"
        "class math:\n    isclose = staticmethod(isclose)\n"
    )
    found = statuses(run(code, {"test_f.py": file}, "pytest"))
    assert found == {
        "test_one": "failed",
        "test_two": "failed",
        "test_three": "failed",
        "test_four": "failed",
        "test_five": "passed",
    }


FILES = """
import logging, os, random
def count(path):
    with open(path) as file: return len(file.read())
def listed(): return os.listdir('.')
def home(): return os.environ.get('HOUSE', 'none')
def warn():
    logging.getLogger('house').warning('cold')
    return 1
def roll(): return random.randint(1, 6)
"""


@pytest.mark.parametrize(
    ("test", "status"),
    [
        (
            "(tmp_path):\n    path = tmp_path / 'a'\n    path.write_text('ab')\n    assert count(path) == 2",
            "unsupported",
        ),
        (
            "(monkeypatch):\n    monkeypatch.setattr(os, 'listdir', lambda _: [1])\n    assert listed() == [1]",
            "unsupported",
        ),
        (
            "(monkeypatch):\n    monkeypatch.setattr('os.listdir', lambda _: [1])\n    assert listed() == [1]",
            "unsupported",
        ),
        ("(monkeypatch, tmp_path):\n    monkeypatch.chdir(tmp_path)\n    assert listed() == []", "unsupported"),
        ("(caplog):\n    warn()\n    assert 'cold' in caplog.text", "unsupported"),
        ("():\n    assert subprocess.run([sys.executable, 'solution.py']).returncode == 0", "unsupported"),
        ("(monkeypatch):\n    monkeypatch.setenv('HOUSE', 'blue')\n    assert home() == 'blue'", "passed"),
        (
            "(monkeypatch):\n    monkeypatch.setattr(solution, 'home', lambda: 'red')\n    assert home() != 'red'",
            "passed",
        ),
        (
            "(monkeypatch):\n    monkeypatch.setattr('solution.random.randint', lambda *_: 4)\n    assert roll() == 4",
            "passed",
        ),
        (
            "(monkeypatch):\n    monkeypatch.setattr(os, 'listdir', 1)\n    monkeypatch.undo()\n    assert warn() == 1",
            "passed",
        ),
    ],
)
def test_what_only_one_process_could_do_is_told_from_a_failure(test: str, status: str) -> None:
    head = "import os, subprocess, sys\nimport solution\nfrom solution import count, home, listed, roll, warn\n"
    results = run(FILES, {"test_it.py": f"{head}def test_it{test}\n".encode()}, "pytest")
    assert {result.status for result in results.values()} == {status}, results


def test_a_suite_that_is_judged_itself_is_never_unsupported() -> None:
    suite = b"""
from unittest.mock import patch
from solution import warn
def test_quick():
    with patch("time.sleep"):
        assert warn() == 1
"""
    assert statuses(run(FILES, {"test_it.py": suite}, "pytest", judged=True)) == {"test_quick": "passed"}
    assert statuses(run(FILES, {"test_it.py": suite}, "pytest")) == {"test_quick": "unsupported"}


@pytest.mark.parametrize("name", ["./__pycache__", ".pytest_cache", "./solution.py", "results.ndjson"])
def test_a_solution_brings_no_path_about_that_the_runner_left(name: str) -> None:
    suite = b"""
from solution import decode, encode
def test_round():
    assert decode(encode("hello")) == "hello"
"""
    solution = f"def encode(text):\n    return {name!r}\ndef decode(text):\n    return 1\n"
    assert statuses(run(solution, {"test_it.py": suite}, "pytest")) == {"test_round": "failed"}


def test_a_file_that_a_test_makes_by_tempfile_is_its_own() -> None:
    suite = b"""
import os, tempfile
from solution import size
def test_size():
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("abc")
        file.flush()
        assert size(file.name) == 3
def test_nothing():
    assert size("/tmp/nothing.txt") == 0
def test_runners():
    os.makedirs("/tmp/pytest-of-root", exist_ok=True)
    assert size("/tmp/pytest-of-root") == 0
"""
    solution = "import os\ndef size(path):\n    return os.path.isfile(path) and -1\n"
    found = statuses(run(solution, {"test_it.py": suite}, "pytest"))
    assert found == {"test_size": "unsupported", "test_nothing": "passed", "test_runners": "passed"}
