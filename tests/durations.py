"""How long the suite takes: by test, file and folder, in seconds and in CPU seconds, with the services it starts.

``--durations-json PATH`` writes the document that ``make test`` leaves in ``.pytest_cache`` and ``make shape`` shows.
The files that took longest in the committed runs are put first, so that no process is left with one at the end.

CPU seconds are those of the test's process and of all that it started; where a service outlives a test, what it
used goes to the test that ran meanwhile. Docker's containers and the servers of databases are not descendants:
their work is counted as waiting. What a phase of less than ``BRIEF_S`` started is counted with the next long one, or
with the last of its file: to look at all processes takes more CPU than a short test.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.processes import Tree
from benchmarks.shape.suite import Suite, Timing
from tests import live

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

BRIEF_S = 0.5
COMMITTED = [Path(__file__).parents[1] / f"benchmarks/results/suite-{name}.json" for name in ("test", "test-rest")]
TOLD = "trueward_timing"
"""Under this name a phase's numbers travel with its report, from a worker to the process that collects them."""


class Meter:
    """The CPU seconds of this process and its descendants since the last reading."""

    def __init__(self) -> None:
        self._tree = Tree(os.getpid())
        self._own = time.process_time()
        self._counted = sum(self._tree.cpu_s())

    def read(self, whole: bool) -> float:
        """``whole``: with what descendants used, else that of this process alone."""
        own = time.process_time()
        if not whole:
            used = own - self._own
            self._counted += used
        else:
            total = sum(self._tree.cpu_s())
            # a process that was killed and adopted by another takes its seconds away
            used = max(0.0, total - self._counted)
            self._counted = total
        self._own = own
        return used


class Durations:
    """The plug-in: measures where tests run, adds up where reports arrive."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._meter: Meter | None = None
        self._started = len(live.STARTED)
        self._begun = time.time()
        self._timings: dict[str, Timing] = {}
        self._failed: set[str] = set()
        self._skipped: set[str] = set()
        self._ends_file = False

    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> None:
        self._ends_file = nextitem is None or nextitem.path != item.path
        if self._meter is None:  # of the process that runs tests: a fork of the one that collected them (--forks)
            self._meter = Meter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        assert self._meter is not None
        started, self._started = len(live.STARTED) - self._started, len(live.STARTED)
        whole = report.duration >= BRIEF_S or (self._ends_file and report.when == "teardown")
        report.user_properties.append((TOLD, [report.duration, self._meter.read(whole), started]))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = [numbers for name, numbers in report.user_properties if name == TOLD]
        if not told or self._path is None:
            return
        numbers: Any = told[-1]
        before = self._timings.get(report.nodeid, Timing(report.nodeid))
        self._timings[report.nodeid] = before.plus(*numbers)
        if report.failed:
            self._failed.add(report.nodeid)
        elif report.skipped:
            self._skipped.add(report.nodeid)

    def pytest_terminal_summary(self, terminalreporter: TerminalReporter) -> None:
        if self._path is None or not self._timings:
            return
        options = terminalreporter.config.option
        found = Suite.of(
            at=datetime.fromtimestamp(self._begun, UTC),
            seconds=time.time() - self._begun,
            workers=options.forks or getattr(options, "numprocesses", None) or 1,
            failed=len(self._failed),
            skipped=len(self._skipped),
            timings=list(self._timings.values()),
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(found.document(), indent=1) + "\n", encoding="utf-8")
        terminalreporter.section("durations")
        terminalreporter.line(found.summary)
        terminalreporter.line(f"the slowest tests, files and folders are in {self._path}")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--durations-json", type=Path, default=None, help="where to write how long the tests took")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    known = [timing for path in COMMITTED if (suite := Suite.read(path)) is not None for timing in suite.files]
    seconds = {timing.name: timing.seconds for timing in known}
    items.sort(key=lambda item: -seconds.get(item.nodeid.partition("::")[0], 0.0))


def pytest_configure(config: pytest.Config) -> None:
    path = config.getoption("durations_json")
    # a worker of xdist measures, and its controller writes
    if path is not None:
        config.pluginmanager.register(Durations(None if hasattr(config, "workerinput") else path), "durations")
