"""What came of each test, read from the file that the tests' jail brought back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from typing import Any

from sandbox.base import Execution, SandboxFailure, Status
from sandbox.harness.programs import RESULTS


class TestStatus(StrEnum):
    """What came of a test. ``bad_test`` and ``unsupported`` are the test's doing, ``not_run`` is nobody's yet."""

    __test__ = False  # its name looks like a test to pytest

    PASSED = "passed"
    FAILED = "failed"
    """An assertion did not hold."""
    ERROR = "error"
    """Another exception, of the solution or of the test that met something unexpected; or a sudden end."""
    TIME_LIMIT = "time_limit"
    CHANNEL_CLOSED = "channel_closed"
    """The candidate's process ended, or broke the protocol."""
    NOT_PLAIN = "not_plain"
    """An object of the solution's would have had to judge."""
    SKIPPED = "skipped"
    """The test says itself that it is not to be run."""
    BAD_TEST = "bad_test"
    """The test itself is broken."""
    UNSUPPORTED = "unsupported"
    """The test needs tests and solution in one process."""
    NOT_RUN = "not_run"


_STATUSES = frozenset(TestStatus)
_EXHAUSTED = (Status.MEMORY_LIMIT, Status.OUTPUT_LIMIT)
"""How a process of tests ends that the candidate floods; one that has not begun has nothing to exhaust."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test. ``message`` quotes neither test nor expected value, ``detail`` may."""

    __test__ = False

    name: str
    status: TestStatus
    message: str = ""
    detail: str = ""
    elapsed_s: float = 0.0

    @property
    def passed(self) -> bool:
        return self.status is TestStatus.PASSED


def read_results(execution: Execution, tests: int | None = None, *, same_process: bool = False) -> list[TestResult]:
    """The results of a run of tests, in order; those that it did not come to are ``not_run``.

    ``tests``: how many assertion programs there were; then there are exactly as many results. The test in which
    the tests' process itself came to an end is ``time_limit`` or ``error``: it was working on what the candidate
    sent. Where that took memory or output beyond all limits, and no file came back either, nothing is passed. Raises
    SandboxFailure where the process never began, which is our doing; with ``same_process`` the candidate may have
    removed the file, and then nothing is passed.
    """
    lines = _lines(execution.files.get(RESULTS, b""))
    headers = [line["tests"] for line in lines if "tests" in line]
    if not headers and not same_process and execution.status not in _EXHAUSTED:
        raise SandboxFailure(f"the tests' process left no results ({execution.status}): {_tail(execution)}")
    results = {result.name: result for line in lines if (result := _result(line)) is not None}
    ended = any("end" in line for line in lines)
    if tests is not None:
        names = [f"assertions[{number}]" for number in range(tests)]
    else:
        known = headers[-1] if headers and type(headers[-1]) is list else []
        names = list(dict.fromkeys([*(name for name in known if type(name) is str), *results]))
    if not ended:
        running = next((name for name in names if name not in results), None)
        if running is not None:
            timed_out = execution.status is Status.TIME_LIMIT
            status = TestStatus.TIME_LIMIT if timed_out else TestStatus.ERROR
            message = f"the tests' process came to an end in this test ({execution.status})"
            results[running] = TestResult(running, status, message)
    return [results.get(name) or TestResult(name, TestStatus.NOT_RUN) for name in names]


def _lines(file: bytes) -> list[dict[str, Any]]:
    lines = []
    for text in file.splitlines():
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):  # the last one may be cut; in one process they may be forged
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines


def _result(line: dict[str, Any]) -> TestResult | None:
    match line:
        case {"name": str(name), "status": str(status), "message": str(message), "detail": str(detail)}:
            elapsed_s = line.get("elapsed_s")
            if status in _STATUSES:
                elapsed_s = elapsed_s if type(elapsed_s) is float and 0.0 <= elapsed_s < inf else 0.0
                return TestResult(name, TestStatus(status), message, detail, elapsed_s)
    return None


def _tail(execution: Execution) -> str:
    return execution.stderr[-500:].decode("utf-8", "replace")
