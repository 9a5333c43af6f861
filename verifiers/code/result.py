"""What became of each test, and what became of the program as a whole."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue

from sandbox.base import Status
from verifiers.legible import legible

DETAILED = 100
"""Tests that the evidence lists one by one; the rest are counted."""

COMPILE_OUTPUT = 2_000
"""Characters of a compiler's output that evidence and feedback keep."""


class TestStatus(StrEnum):
    """How a test ended. Each but ``passed`` is not passed; none is our own failure."""

    __test__ = False

    PASSED = "passed"
    WRONG_OUTPUT = "wrong_output"
    WRONG_VALUE = "wrong_value"
    NOT_PLAIN = "not_plain"
    """The program returned, or the test needed, what cannot cross as plain data."""
    RAISED = "raised"
    FAILED = "failed"
    REJECTED = "rejected"
    """The checker or interactor did not accept."""
    EXITED = "exited"
    """The program ended before it answered."""
    SKIPPED = "skipped"
    """Skipped by the tests: never passed, since a program can raise what skips a test."""
    NONZERO_EXIT = "nonzero_exit"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    SIGNALLED = "signalled"
    FORBIDDEN = "forbidden"
    COMPILE_ERROR = "compile_error"
    SUITE_TIME = "suite_time"
    """Not reached, because the program had used up the suite's time, or a test's while others waited for its place."""
    NOT_RUN = "not_run"
    """Left out after the first test that was not passed, as asked for."""


@dataclass(frozen=True, slots=True)
class Result:
    """One test: its kind, its place in the reference (from 0), its name there, what happened, its seconds if known.

    ``shown`` is what feedback tells at the level ``full`` alone: it may hold inputs and expected values.
    """

    kind: str
    index: int
    name: str
    status: TestStatus
    elapsed_s: float | None = None
    shown: str = ""

    @property
    def passed(self) -> bool:
        return self.status is TestStatus.PASSED

    @property
    def label(self) -> str:
        """The test's name for people: that of the reference, else its kind and place counted from 1."""
        return self.name or f"{self.kind} {self.index + 1}"

    def evidence(self) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {"kind": self.kind, "index": self.index, "status": self.status.value}
        if self.name:
            found["name"] = self.name
        if self.elapsed_s is not None:
            found["elapsed_s"] = round(self.elapsed_s, 6)
        return found


_BY_THE_CLOCK = (TestStatus.TIME_LIMIT, TestStatus.SUITE_TIME)
"""A busier machine could bring these about: such a verdict is not given again without judging again."""


@dataclass(slots=True)
class Report:
    """All tests of a program, in the order they were run, and the compiler's output where it refused the program."""

    results: list[Result] = field(default_factory=list)
    compile_output: str | None = None
    duplicates: int = 0
    forgeable: bool = False

    @property
    def passed(self) -> int:
        return sum(result.passed for result in self.results)

    @property
    def fraction(self) -> float:
        return self.passed / len(self.results) if self.results else 0.0

    @property
    def failures(self) -> list[Result]:
        return [result for result in self.results if not result.passed]

    def evidence(self) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {
            "passed": self.passed,
            "total": len(self.results),
            "fraction": self.fraction,
            "tests": [result.evidence() for result in self.results[:DETAILED]],
        }
        if len(self.results) > DETAILED:
            found["more_tests"] = {**Counter(result.status.value for result in self.results[DETAILED:])}
        if self.compile_output is not None:
            found["compile_output"] = self.compile_output
        if any(result.status in _BY_THE_CLOCK for result in self.results):
            found["time_limited"] = True
        if self.duplicates:
            found["duplicates"] = self.duplicates
        if self.forgeable:
            found["forgeable"] = True
        return found


def compiler_said(output: bytes) -> str:
    """A compiler's output as evidence keeps it."""
    text = legible(output.decode(errors="replace")).strip()
    return text if len(text) <= COMPILE_OUTPUT else text[: COMPILE_OUTPUT - 3] + "..."


_OF_PROGRAM = {
    Status.COMPILE_ERROR: TestStatus.COMPILE_ERROR,
    Status.NONZERO_EXIT: TestStatus.NONZERO_EXIT,
    Status.TIME_LIMIT: TestStatus.TIME_LIMIT,
    Status.MEMORY_LIMIT: TestStatus.MEMORY_LIMIT,
    Status.OUTPUT_LIMIT: TestStatus.OUTPUT_LIMIT,
    Status.SIGNALLED: TestStatus.SIGNALLED,
    Status.FORBIDDEN: TestStatus.FORBIDDEN,
}


def translate_status(status: Status) -> TestStatus:
    """The status of a test during which the program ended in this way, without an answer."""
    return _OF_PROGRAM.get(status, TestStatus.EXITED)
