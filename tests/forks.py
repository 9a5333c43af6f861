"""``--forks N``: the tests run in N forks of the process that has collected them, so that they are collected once.

A fork takes a group of tests at a time, which share what they start (:mod:`tests.together`): pytest's loop runs there
what the first process hands out, with fixtures, captured output and an end of the fork's own. Its reports travel to
the first process, which alone prints, counts and writes files. Where a fork dies, the test that it ran has failed,
and another takes those that it had left.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, TypeAlias

import pytest

from tests import together

Location: TypeAlias = tuple[str, int | None, str]
_OF_TESTS = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


@dataclass(slots=True)
class Fork:
    """``left``: the tests that it was handed and has not finished, by their places in the collection."""

    pid: int
    ended: int
    channel: Connection
    left: deque[int] = field(default_factory=deque)

    def close(self) -> None:
        self.channel.close()
        os.close(self.ended)


class Forks:
    """The plug-in of the first process."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._forks: list[Fork] = []
        self._groups: deque[list[int]] = deque()

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        options = session.config.option
        if options.collectonly or (session.testsfailed and not options.continue_on_collection_errors):
            return None
        self._groups = deque(together.groups([item.nodeid for item in session.items]))
        session.config.pluginmanager.getplugin("terminalreporter").showfspath = False  # files end in any order
        while True:
            while self._groups and len(self._forks) < self._wanted:
                channel = self._fork()
                if channel is not None:
                    _take_part(session, channel)
                    return True
            if not self._forks:
                return True
            with self._ended_by_failure():
                self._listen(session)

    def _fork(self) -> Connection | None:
        """In the fork, where it asks for tests and tells what became of them."""
        ours, theirs = Pipe()
        pid = os.fork()
        if pid:
            theirs.close()
            self._forks.append(Fork(pid, os.pidfd_open(pid), ours))
            return None
        ours.close()
        for other in self._forks:
            other.close()
        return theirs

    @contextmanager
    def _ended_by_failure(self) -> Iterator[None]:
        try:
            yield
        except BaseException:  # raised again, once no fork is left
            for fork in self._forks:
                fork.close()
                os.kill(fork.pid, signal.SIGINT)
            for fork in self._forks:
                os.waitpid(fork.pid, 0)
            raise

    def _listen(self, session: pytest.Session) -> None:
        ready = wait([part for fork in self._forks for part in (fork.channel, fork.ended)])
        for fork in list(self._forks):
            if fork.channel in ready or fork.ended in ready:
                try:
                    # what it said before it ended is heard first
                    message = fork.channel.recv() if fork.channel.poll() else None
                except (EOFError, ConnectionResetError):
                    message = None
                if message is None:
                    self._bury(fork, session)
                else:
                    self._hear(fork, session, *message)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)

    def _hear(self, fork: Fork, session: pytest.Session, said: str, *what: Any) -> None:
        hook = session.config.hook
        if said == "more":
            group = self._groups.popleft() if self._groups else []
            fork.left.extend(group)
            with suppress(BrokenPipeError):  # it died meanwhile, and is buried soon
                fork.channel.send(group)
        elif said == "report":
            report = hook.pytest_report_from_serializable(config=session.config, data=what[0])
            hook.pytest_runtest_logreport(report=report)
        else:
            fork.left.popleft()
            hook.pytest_runtest_logfinish(nodeid=what[0], location=what[1])

    def _bury(self, fork: Fork, session: pytest.Session) -> None:
        self._forks.remove(fork)
        code = os.waitstatus_to_exitcode(os.waitpid(fork.pid, 0)[1])
        fork.close()
        if code not in _OF_TESTS and code in list(pytest.ExitCode):
            raise RuntimeError(f"pytest ended with {code} in a fork: standard error says why")
        if not fork.left:
            return
        ran = session.items[fork.left.popleft()]
        why = f"the process that ran this test ended with exit code {code}"
        report = pytest.TestReport(ran.nodeid, ran.location, {}, "failed", why, "call")
        session.config.hook.pytest_runtest_logreport(report=report)
        if fork.left:
            self._groups.appendleft(list(fork.left))


class _Relay:
    """The plug-in of a fork: what is reported there is told to the first process."""

    def __init__(self, config: pytest.Config, channel: Connection) -> None:
        self._config = config
        self._channel = channel

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tell("report", self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self, nodeid: str, location: Location) -> None:
        self._tell("finish", nodeid, location)

    def _tell(self, *what: object) -> None:
        with suppress(BrokenPipeError):  # the first process was interrupted: nobody listens
            self._channel.send(what)


def _take_part(session: pytest.Session, channel: Connection) -> None:
    config = session.config
    capture = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()  # into a file that all forks would share
    capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")
    # by these, which xdist made up, plug-ins know a process that writes no files
    config.workerinput = config.workeroutput = {}  # type: ignore[attr-defined]
    config.pluginmanager.register(_Relay(config, channel))
    waiting: deque[pytest.Item] = deque()

    def take() -> None:
        channel.send(("more",))
        waiting.extend(session.items[place] for place in channel.recv())

    take()
    while waiting:
        item = waiting.popleft()
        if not waiting:  # what the next test needs as well is not torn down
            take()
        config.hook.pytest_runtest_protocol(item=item, nextitem=waiting[0] if waiting else None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--forks", type=int, default=0, help="run the tests in so many forks of this process")


def pytest_configure(config: pytest.Config) -> None:
    wanted: int = config.getoption("forks")
    if wanted:
        config.pluginmanager.register(Forks(wanted), "forks")
