"""``python -m unittest`` over test files, each test reported as it ends."""

from __future__ import annotations

import re
import unittest
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

from .blame import root
from .flaws import BadTest, NoTests, NotLoaded

if TYPE_CHECKING:
    from .suites import Suite

_SOLUTIONS_DOING = re.compile(r"cannot import name .* from 'solution'|[\\/]trueward_harness[\\/]session\.py")
"""In the text of a failed import: the solution lacks a name, or raised something itself."""
_RAISED = re.compile(r"^Traceback \(most recent call last\):\n(?: .*\n)*(\S.*)", re.MULTILINE)
"""What an import raised first, by its first line: what follows may be the solution's words."""
_UNPARSED = re.compile(r"(?:Syntax|Indentation|Tab)Error\b")
_PLACE = re.compile(r'^  File "([^"\n]*)", line \d+$', re.MULTILINE)
"""Where a file does not parse: frames say their function as well, and lines of a text stand further in."""
_MISSING = re.compile(r"(?:ModuleNotFound|Import)Error: .*?(?:named|from) '([\w.]+)'")


def run(suite: Suite) -> None:
    """Finds and runs the tests that the command names."""
    found = _Found()
    try:
        with suite.clock:
            unittest.main(None, argv=["unittest", *suite.arguments], testRunner=found, exit=False)
    except BaseException as failure:  # noqa: BLE001 - what a test file raises at its top level
        suite.finish("unittest", NoTests("a wrong command") if isinstance(failure, SystemExit) else failure)
        return
    suite.report.expect([test.id() for test in _each(found.tests)])
    result = _Result(suite)
    with suppress(KeyboardInterrupt):  # the solution's: noted with the test that it ended, and the rest is not run
        found.tests.run(result)
    if result.testsRun == 0:
        suite.finish("unittest", NoTests("no tests were found"))


class _Found:
    """Takes the place of a runner: the tests are run later, each under its time limit."""

    tests: unittest.TestSuite | unittest.TestCase = unittest.TestSuite()

    def run(self, tests: unittest.TestSuite | unittest.TestCase, /) -> unittest.TestResult:
        self.tests = tests
        return unittest.TestResult()


class _Result(unittest.TestResult):
    def __init__(self, suite: Suite) -> None:
        super().__init__()
        self._suite = suite
        self._timing = ExitStack()
        self._error: BaseException | None = None
        self._skipped = False
        self._succeeded = False

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        self._suite.session.flaws.clear()
        self._error, self._skipped, self._succeeded = None, False, False
        self._suite.report.start()
        self._timing.enter_context(self._suite.clock)

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        self._timing.close()
        super().stopTest(test)
        if self._skipped and self._error is None and not self._suite.session.flaws:
            self._suite.report.finish(test.id(), "skipped")
        else:
            interrupted = None if self._succeeded else KeyboardInterrupt()
            self._suite.finish(test.id(), self._error or interrupted)
        if self._suite.over:
            self.stop()

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        self._succeeded = True

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        self._note(test, err[1])

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        self._note(test, err[1])

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        if err is not None:
            self._note(test, err[1])

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802 - unittest's name
        self._skipped = True

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        self._skipped = True

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802 - unittest's name
        self._note(test, AssertionError("a test passed that was expected to fail"))

    def _note(self, test: Any, error: BaseException) -> None:
        if type(test).__name__ == "_FailedTest":
            authors = self._is_authors(str(error))
            error = BadTest("the test file cannot be imported") if authors else NotLoaded(str(error))
        if isinstance(test, unittest.TestCase):
            self._error = self._error or error
        else:  # a fixture of a class or module: all of its tests are lost
            self._suite.finish(test.id(), error)

    def _is_authors(self, text: str) -> bool:
        """Whether a file cannot be imported because of its author; ``text``: the traceback."""
        if _SOLUTIONS_DOING.search(text) is not None:
            return False
        if not text.startswith("Failed to import test module"):
            return True  # the command names what is not there
        blame = self._suite.session.blame
        raised = _RAISED.search(text)
        if raised is None:
            return False
        if _UNPARSED.match(raised[1]) is not None:
            return not blame.consulted or any(map(blame.is_own, _PLACE.findall(text)))
        missing = _MISSING.match(raised[1])
        return missing is not None and (not blame.consulted or root(missing[1]) in blame.imported)


def _each(tests: Any) -> Iterator[unittest.TestCase]:
    if isinstance(tests, unittest.TestCase):
        yield tests
    else:
        for test in tests:
            yield from _each(test)
