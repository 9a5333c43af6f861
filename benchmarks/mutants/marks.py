"""Notes which marked places run, and during which test file. PYTEST_DONT_REWRITE

A copy of this file is put into the environments of a marked tree, with a ``.pth`` file that calls :func:`listen` in
every interpreter that starts there: services, workers of lanes, trainers. In pytest's own processes it is a plug-in as
well. It stands alone: nothing of this project is imported, and what cannot be noted is not.

The log has a line a note, its parts apart by spaces, the time in seconds since 1970:

    file TIME WORKER FILE           from now on this process runs the tests of FILE; ``-``: of none
    mark TIME WORKER NUMBER FILE    the place ran, in the process that runs FILE itself, or ``-``: in another

WORKER is xdist's name of the process (``gw0``), which what it starts inherits, or ``-``.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

EVENT = "trueward.mutant"
_NONE = "-"


class Notes:
    """The log, and what this process has told it."""

    def __init__(self) -> None:
        self.path = ""
        self._told: set[tuple[object, ...]] = set()
        self._running = (0, _NONE)

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        """Called by Python for each of its audit events; one note a file, or a second where no file is known."""
        if event != EVENT:
            return
        number, file = arguments[0], self._file()
        once = (number, os.getpid(), file, int(time.time()) if file == _NONE else 0)
        if once not in self._told:
            self._told.add(once)
            self._write(f"mark {time.time():.3f} {_worker()} {number} {file}\n")

    def runs(self, file: str) -> None:
        """This process begins with the tests of a file."""
        if self._file() != file:
            self._running = (os.getpid(), file)
            self._write(f"file {time.time():.3f} {_worker()} {file}\n")

    def _file(self) -> str:
        """A fork of a worker is not the worker: what it runs is told by the time."""
        pid, file = self._running
        return file if pid == os.getpid() else _NONE

    def _write(self, line: str) -> None:
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            try:
                os.write(descriptor, line.encode())
            finally:
                os.close(descriptor)
        except OSError:
            pass


NOTES = Notes()


def listen(path: str) -> None:
    """From now on marks go to the log at ``path``, which is there."""
    NOTES.path = path
    sys.addaudithook(NOTES.hear)


def pytest_collectstart(collector: pytest.Collector) -> None:
    """The import of a test file is part of it."""
    if _runs_tests(collector.config) and collector.nodeid.endswith(".py"):
        NOTES.runs(collector.nodeid)


def pytest_collection_finish(session: pytest.Session) -> None:
    if _runs_tests(session.config):
        NOTES.runs(_NONE)


def pytest_runtest_protocol(item: pytest.Item) -> None:
    NOTES.runs(item.nodeid.partition("::")[0])


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _runs_tests(session.config):
        NOTES.runs(_NONE)


def _worker() -> str:
    return os.environ.get("PYTEST_XDIST_WORKER", _NONE)


def _runs_tests(config: pytest.Config) -> bool:
    """Whether this process runs tests itself, and does not only hand them out."""
    return hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None)
