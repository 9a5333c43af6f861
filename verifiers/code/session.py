"""One program before one suite: where it runs, under which limits, how much of its time is left, what happened so far.

What counts against the suite's time is the running of the program and of what the program can make slow: its checker,
its interactor, its tests' process. Compilers and queueing do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import BaseModel

from sandbox.base import Program, Sandbox, Usage, spares
from sandbox.limits import Limits
from verifiers.code.equal import Tolerance
from verifiers.code.java import as_main
from verifiers.code.output import Comparison
from verifiers.code.params import CodeLimits, CodeParams
from verifiers.code.result import Report, Result, TestStatus
from verifiers.code.suite import Suite

T = TypeVar("T")

_LEAST_S = 0.001


@dataclass(slots=True)
class Session:
    sandbox: Sandbox
    code: str
    language: str
    suite: Suite
    stated: bool
    """Whether the caller said which language the program is in; else the response did, or left it at the default."""
    params: CodeParams
    limits: CodeLimits
    left_s: float
    report: Report = field(default_factory=Report)
    hung: bool = False
    """Whether the program has used up all the time of a test."""

    @property
    def tolerance(self) -> Tolerance:
        return Tolerance(self.params.absolute_tolerance, self.params.relative_tolerance)

    @property
    def comparison(self) -> Comparison:
        return self.suite.comparison or self.params.comparison

    @property
    def shows(self) -> bool:
        """Whether the feedback tells what a test holds and what the program gave: else no text is made of it."""
        return self.params.feedback == "full"

    @property
    def out_of_time(self) -> bool:
        return self.left_s < _LEAST_S

    @property
    def stopped(self) -> bool:
        return self.params.stop_at_first_failure and bool(self.report.failures)

    @property
    def refused(self) -> bool:
        """The program did not compile."""
        return self.report.compile_output is not None

    def program(self, text: str = "") -> Program:
        """What is run: the response's program, with a text after it."""
        source = f"{self.code}\n{text}\n" if text else self.code
        return Program(self.language, as_main(source) if self.language == "java" else source)

    def test_limits(self) -> Limits:
        """Those of the next test: its own wall clock, or what is left of the suite's."""
        limits = self.limits.of_a_test()
        return replace(limits, wall_s=min(limits.wall_s, max(self.left_s, _LEAST_S)))

    def suite_limits(self) -> Limits:
        """Those of a process that runs all tests that remain, each bounded on its own."""
        limits = self.limits.of_a_test()
        left_s = max(self.left_s, _LEAST_S)
        return replace(limits, wall_s=left_s, cpu_s=max(limits.cpu_s, 2 * left_s))

    def spend(self, *runs: Usage) -> None:
        """Takes the longest of runs at the same time off what is left."""
        self.left_s -= max(usage.wall_s for usage in runs)

    def explain_skip(self) -> TestStatus | None:
        """Why the next test is not run, else None.

        A program that hung leaves the rest of its time to others that wait for it.
        """
        if self.refused:
            return TestStatus.COMPILE_ERROR
        if self.stopped:
            return TestStatus.NOT_RUN
        if self.hung and not self.out_of_time and not spares(self.sandbox, self.left_s):
            self.left_s = 0.0
        return TestStatus.SUITE_TIME if self.out_of_time else None

    def order_tests(self, tests: Sequence[T], text: Callable[[T], str]) -> list[tuple[int, T]]:
        """Each test with its place in the reference: the same test once, in the order asked for."""
        seen: dict[str, tuple[int, T]] = {}
        for index, test in enumerate(tests):
            seen.setdefault(text(test), (index, test))
        self.report.duplicates += len(tests) - len(seen)
        found = list(seen.items())
        if self.params.order == "shortest":
            found.sort(key=lambda item: len(item[0]))
        return [place for _, place in found]

    def add(self, result: Result) -> None:
        self.report.results.append(result)
        self.hung = self.hung or result.status is TestStatus.TIME_LIMIT


def content(test: BaseModel) -> str:
    """What a test is, without its name."""
    return test.model_dump_json(exclude={"name"}, by_alias=True)
