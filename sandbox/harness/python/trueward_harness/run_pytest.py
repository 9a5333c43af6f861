"""pytest over test files, each test reported as it ends. The service's own pytest, else the one of the sandbox."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from .flaws import NoTests

if TYPE_CHECKING:
    from .suites import Suite

FOLDER = "/opt/trueward/pytest"
_OPTIONS = ("-p", "no:cacheprovider", "--rootdir=.", "-q", "--tb=short")


def run(suite: Suite) -> None:
    """Finds and runs the tests that the command names."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    sys.path.insert(1, FOLDER)  # behind the tests' own files
    try:
        import pytest
    except ImportError:
        suite.report.finish("pytest", "unsupported", "pytest is not installed in the sandbox")
        return

    class Plugin:
        """Hooks of one run."""

        def __init__(self) -> None:
            self.reported = 0
            self._error: BaseException | None = None
            self._text = ""
            self._skipped = False

        def pytest_collection_finish(self, session: Any) -> None:
            # pytest's own plug-ins have used it by now
            suite.session.surroundings.watch_monkeypatch(pytest.MonkeyPatch)
            suite.report.expect([item.nodeid for item in session.items])

        def pytest_collectreport(self, report: Any) -> None:
            if report.skipped and suite.session.blame.consulted:  # a whole file, by what the solution said or lacks
                suite.report.finish(report.nodeid, "skipped")
                self.reported += 1

        def pytest_exception_interact(self, node: Any, call: Any, report: Any) -> None:
            if call.when == "collect":
                error = call.excinfo.value
                self._finish(node.nodeid, error.__cause__ or error, str(report.longrepr))

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_protocol(self, item: Any) -> Generator[None, object, object]:
            suite.session.flaws.clear()
            self._error, self._text, self._skipped = None, "", False
            suite.report.start()
            try:
                with suite.clock:
                    return (yield)
            except BaseException as error:  # kept for the report and raised again
                self._error = self._error or error
                raise
            finally:
                if self._skipped and self._error is None and not suite.session.flaws:
                    suite.report.finish(item.nodeid, "skipped")
                    self.reported += 1
                else:
                    self._finish(item.nodeid, self._error, self._text)
                if suite.over:
                    item.session.shouldstop = "the candidate is gone"

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
            report = yield
            if report.outcome == "skipped":
                self._skipped = True
            elif report.outcome == "failed":
                error = call.excinfo.value if call.excinfo is not None else AssertionError("an unexpected pass")
                self._error = self._error or error
                self._text = self._text or str(report.longrepr)
            elif hasattr(report, "wasxfail"):
                self._skipped = True
            return report

        def _finish(self, name: str, error: BaseException | None, text: str) -> None:
            suite.finish(name, error, text)
            self.reported += 1

    plugin = Plugin()
    code = pytest.main([*_OPTIONS, *suite.arguments], plugins=[plugin])
    if not plugin.reported:
        suite.finish("collection", NoTests(f"no tests were run (exit code {int(code)})"))
