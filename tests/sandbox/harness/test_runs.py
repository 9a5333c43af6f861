"""Runs of assertion programs: whose doing an end is, what is left to run, and what a run of them all costs nobody."""

from __future__ import annotations

import pytest

from sandbox.base import Execution, SandboxFailure, Status, Usage
from sandbox.harness import (
    HarnessError,
    TestResult,
    assertions_program,
    candidate_program,
    command_program,
    read_results,
)
from tests.sandbox.harness.pairing import run_pair, same_process, split

ADD = "def add(a, b): return a + b"


def statuses(results: list[TestResult]) -> list[str]:
    return [result.status.value for result in results]


@pytest.mark.parametrize("mode", [split, same_process])
def test_each_program_gets_its_own_result(mode: object) -> None:
    assert callable(mode)
    results = mode(
        ADD,
        "assert add(1, 2) == 3",
        "assert add(1, 2) == 4",
        "add(1)",
        "import nowhere",
        "def f(:",
        "missing(1)",
        "from solution import missing",
        "raise KeyError('x')",
        "x = add(1, 2)\nassert x == 3",
    )
    assert statuses(results) == [
        *("passed", "failed", "error", "bad_test", "bad_test", "error", "error", "error", "passed")
    ]  # fmt: skip
    assert [result.name for result in results][:2] == ["assertions[0]", "assertions[1]"]
    assert all(0 <= result.elapsed_s < 5 for result in results)


def test_programs_share_the_solution_but_not_their_names() -> None:
    code = "seen = []\ndef note(x):\n    seen.append(x)\n    return len(seen)"
    assert statuses(split(code, "n = note(1)\nassert n == 1", "assert note(2) == 2", "n")) == [
        "passed",
        "passed",
        "error",
    ]


def test_a_program_that_only_defines_its_tests_is_run_all_the_same() -> None:
    wrong = "def f(x): return x"
    check = "def check(candidate):\n    assert candidate(1) == 2"
    assert statuses(split(wrong, check, entry_point="f")) == ["failed"]
    assert statuses(split(wrong, check)) == ["bad_test"]
    assert statuses(split(wrong, "def test_f():\n    assert f(1) == 2")) == ["failed"]
    assert statuses(split(wrong, "def test_f(fixture):\n    assert f(1) == 2")) == ["bad_test"]
    case = "from unittest import TestCase\nclass T(TestCase):\n    def test(self): self.assertEqual(f(1), 2)"
    assert statuses(split(wrong, case)) == ["failed"]
    assert statuses(split(wrong, f"{case}\nimport unittest\nunittest.main()")) == ["error"]
    assert statuses(split(wrong, case.replace("test(", "other("))) == ["bad_test"]


def test_a_builtins_name_is_the_solutions_only_where_that_is_plain() -> None:
    code = "def sorted(x): return 'mine'\ndef max(x): return 'mine'"
    assert statuses(split(code, "assert sorted([2, 1]) == 'mine'")) == ["passed"]
    assert statuses(split(code, "assert sorted(max([2, 1])) == 'mine'")) == ["bad_test"]
    assert statuses(split(code, "assert sorted([max([2, 1])]) == 'mine'", entry_point="sorted")) == ["passed"]


def test_after_a_hang_the_rest_can_be_run_again() -> None:
    code = "def f(x):\n    while x == 2: pass\n    return x"
    tests = [f"assert f({n}) == {n}" for n in (1, 2, 3)]
    assert statuses(split(code, *tests, per_test_s=0.5)) == ["passed", "time_limit", "not_run"]
    assert statuses(split(code, tests[2], per_test_s=0.5)) == ["passed"]
    assert statuses(split(code, "while True: pass", tests[2], per_test_s=0.5)) == ["time_limit", "not_run"]


def test_the_first_failure_ends_a_run_where_that_is_asked_for() -> None:
    program = assertions_program("python", ["assert add(1, 1) == 3", "assert add(1, 1) == 2"], 5.0, stop_at_first=True)
    first, _ = run_pair(program, candidate_program("python", ADD))
    assert statuses(read_results(first, 2)) == ["failed", "not_run"]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("def f(:", "error"),
        ("raise AssertionError", "error"),
        ("import nowhere", "error"),
        ("class Own(BaseException): pass\nraise Own", "error"),
        ("import time\ntime.sleep(9)", "time_limit"),
    ],
)
def test_a_solution_that_does_not_load_passes_no_test_and_blames_none(code: str, status: str) -> None:
    assert statuses(split(code, "pass", "import nowhere", per_test_s=0.5)) == [status, status]
    assert set(statuses(same_process(code, "pass", "import nowhere", per_test_s=0.5))) == {status}


def test_what_needs_one_process_is_said_to() -> None:
    code = "def f(x): return x\nclass Base: pass"
    elsewhere = "from multiprocessing.reduction import ForkingPickler\nForkingPickler.dumps(Base())"
    results = split(code, "import threading\nf(threading.Lock())", "class Mine(Base): pass", elsewhere)
    assert statuses(results) == ["unsupported"] * 3
    assert all("same_process" in result.message for result in results)


def test_a_run_without_results_is_our_failure_unless_it_could_be_forged() -> None:
    nothing = Execution(Status.SIGNALLED, Usage(0.0, 0.0, 0), signal=9)
    with pytest.raises(SandboxFailure, match="signalled"):
        read_results(nothing, 2)
    assert statuses(read_results(nothing, 2, same_process=True)) == ["error", "not_run"]


def test_a_sudden_end_of_the_tests_process_counts_for_the_test_that_ran() -> None:
    lines = b'{"tests": ["assertions[0]", "assertions[1]"]}\n{"name": "asse'
    for status, expected in ((Status.TIME_LIMIT, "time_limit"), (Status.MEMORY_LIMIT, "error")):
        ended = Execution(status, Usage(0.0, 0.0, 0), files={"results.ndjson": lines})
        assert statuses(read_results(ended, 2)) == [expected, "not_run"]


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'{"name": 1}', b'{"name": "assertions[0]", "status": "fine", "message": "", "detail": ""}', b"\xff"],
)
def test_a_results_file_that_was_tampered_with_in_one_process_does_no_harm(line: bytes) -> None:
    ended = Execution(Status.FINISHED, Usage(0.0, 0.0, 0), files={"results.ndjson": b'{"tests": 5}\n' + line + b"\n"})
    assert statuses(read_results(ended, 1, same_process=True)) == ["error"]


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-Infinity", "1e999", "-1.0", "5", '"1"', "null"])
def test_no_time_that_is_none_leaves_a_results_file(seconds: str) -> None:
    line = f'{{"name": "assertions[0]", "status": "failed", "message": "", "detail": "", "elapsed_s": {seconds}}}'
    file = f'{{"tests": 1}}\n{line}\n'.encode()
    ended = Execution(Status.FINISHED, Usage(0.0, 0.0, 0), files={"results.ndjson": file})
    [result] = read_results(ended, 1, same_process=True)
    assert (result.status.value, result.elapsed_s) == ("failed", 0.0)


def test_a_flood_of_failing_tests_keeps_the_file_small() -> None:
    tests = [f"assert add({n}, 1) == {n}, 'x' * 5000" for n in range(300)]
    first, _ = run_pair(assertions_program("python", tests, 5.0), candidate_program("python", ADD))
    assert len(first.files["results.ndjson"]) < 300_000
    assert statuses(read_results(first, 300)) == ["failed"] * 300


@pytest.mark.parametrize(
    "command", ["", "make test", "bash run.sh", "python", "pytest 'x", "python -c 1", "python y.py"]
)
def test_a_command_that_is_no_test_runner_is_the_callers_doing(command: str) -> None:
    with pytest.raises(HarnessError):
        command_program("python", {"test_x.py": b""}, command, 1.0)


def test_the_harness_says_which_languages_it_lacks() -> None:
    with pytest.raises(HarnessError, match="cobol"):
        candidate_program("cobol", "")
    with pytest.raises(HarnessError, match=r"solution\.py"):
        command_program("python", {"solution.py": b""}, "pytest", 1.0)
