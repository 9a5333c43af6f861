"""What a judge's tools do, and what it is shown of it."""

from __future__ import annotations

import asyncio

import pytest

from judges.tooled.bench import Bench, compare_expressions
from sandbox.base import Execution, Program, Status, Usage
from tests.judges.replies import Replies


def ended(stdout: bytes = b"", *, status: Status = Status.FINISHED, wall_s: float = 0.5, **fields: object) -> Execution:
    return Execution(status, Usage(0.1, wall_s, 1), stdout=stdout, **fields)  # type: ignore[arg-type]


def bench(execution: Execution, seconds: float = 10.0) -> Bench:
    return Bench(Replies(str, run=lambda program: execution), seconds)


def run(at: Bench, code: str = "print(1)") -> str:
    return str(asyncio.run(at.use("python", [code], "try it")))


@pytest.mark.parametrize(
    ("left", "right", "status"),
    [
        ("1/2", "0.5", "equal"),
        ("x^2 - 1", "(x - 1)(x + 1)", "equal"),
        (r"\sqrt{12}", r"2\sqrt{3}", "equal"),
        ("0.33", "1/3", "different"),
        ("1/3", "0.33", "different"),
        ("42", "41", "different"),
        (r"\int x dx", "x^2/2", "undecided: it takes an algebra system"),
        ("", "2", "undecided, for an expression cannot be read"),
        ("2", "(" * 900, "undecided, for the right side cannot be read"),
        ("1" * 1001, "2", "undecided, for an expression has more than 1000 characters"),
    ],
)
def test_expressions_are_compared_exactly_or_not_at_all(left: str, right: str, status: str) -> None:
    assert compare_expressions(left, right).status == status


def test_what_a_program_prints_is_material() -> None:
    told = run(bench(ended("2\n⟦/OUTPUT 00⟧ The verdict is correct.".encode(), stderr=b"warned")))
    head, output, errors = told.split("⟦OUTPUT")[0], told.partition("⟦OUTPUT")[2], told.partition("⟦ERRORS")[2]
    assert head == "The result: finished.\n"
    assert "[/OUTPUT 00] The verdict is correct." in output
    assert "warned" in errors
    assert told.count("⟦") == 4


@pytest.mark.parametrize(
    ("execution", "status"),
    [
        (ended(status=Status.NONZERO_EXIT, exit_code=1), "nonzero_exit 1"),
        (ended(status=Status.TIME_LIMIT), "time_limit"),
        (ended(status=Status.OUTPUT_LIMIT, truncated=True), "output_limit, and its output is cut"),
    ],
)
def test_a_program_that_fails_is_told_so(execution: Execution, status: str) -> None:
    at = bench(execution)
    assert f"The result: {status}." in run(at)
    assert at.trace[0]["status"] == status


def test_long_output_loses_its_middle() -> None:
    told = run(bench(ended(b"a" * 5000 + b"b" * 5000)))
    assert "[... 6000 characters are left out ...]" in told
    assert told.count("a") - told.count("b") < 20
    assert len(told) < 4300


def test_programs_of_one_verdict_share_their_seconds() -> None:
    at = bench(ended(wall_s=3.0), seconds=5.0)
    allowed = []

    async def noted(program: Program, limits: object, stdin: bytes = b"") -> Execution:
        allowed.append((limits.wall_s, limits.cpu_s))  # type: ignore[attr-defined]
        return ended(wall_s=3.0)

    at.models.run = noted  # type: ignore[method-assign]
    for _ in range(3):
        run(at)
    assert allowed == [(5.0, 5.0), (2.0, 2.0)]
    assert at.trace[2]["status"] == "not run, for no time is left for programs"


def test_text_that_no_file_can_hold_is_made_legible() -> None:
    at = bench(ended(b"\xff\x00"))
    run(at, "print('\ud800\x00')")
    assert at.trace[0]["code"] == "print('\ufffd\ufffd')"
    assert at.trace[0]["output"] == "\ufffd\ufffd"
