"""``unittest`` cases, run within one test program or one by one."""

from __future__ import annotations

import unittest
from types import TracebackType
from typing import Any

from .flaws import BadTest, NoTests

_Error = tuple[type[BaseException], BaseException, TracebackType] | tuple[None, None, None]


class FirstFailure(unittest.TestResult):
    """Keeps the first exception of a suite."""

    def __init__(self) -> None:
        super().__init__()
        self.failfast = True
        self.error: BaseException | None = None

    @classmethod
    def of(cls, suite: unittest.TestSuite) -> None:
        """Runs a suite. Raises its first failure, or BadTest where it ran no test."""
        result = cls()
        suite.run(result)
        if result.error is not None:
            raise result.error
        if result.testsRun == 0:
            raise BadTest("a suite without tests")
        if result.testsRun == len(result.skipped):
            raise NoTests("a suite whose tests are all skipped")

    def addError(self, test: Any, err: _Error) -> None:  # noqa: N802 - unittest's name
        self.error = self.error or err[1]
        super().addError(test, err)

    def addFailure(self, test: Any, err: _Error) -> None:  # noqa: N802 - unittest's name
        self.error = self.error or err[1]
        super().addFailure(test, err)

    def addSubTest(self, test: Any, subtest: Any, err: _Error | None) -> None:  # noqa: N802 - unittest's name
        if err is not None:
            self.error = self.error or err[1]
        super().addSubTest(test, subtest, err)

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802 - unittest's name
        self.error = self.error or AssertionError("a test passed that was expected to fail")
        super().addUnexpectedSuccess(test)
