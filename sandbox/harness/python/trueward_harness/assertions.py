"""Runs assertion programs, one after the other, against the candidate's process or in one with the solution.

The file ``tests.json`` beside it: ``{"tests": [source, ...], "per_test_s", "stop_at_first", "entry_point", "judged"}``.
The first that runs out of time, or loses the candidate, ends the run; what follows is ``not_run``, so that the
caller can start again with it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NoReturn, Protocol

from .blame import Blame
from .channel import Channel, take_channel
from .clock import Clock
from .flaws import Flaw, Unsupported
from .loading import FOLDER, deepen, load_solution
from .module import Names, SolutionModule, without
from .origins import Origins
from .program import TestProgram
from .report import Report, detail, verdict
from .session import Session

FILE = "tests.json"


class Solution(Protocol):
    """Where the names come from that tests use: another process, or this one."""

    flaws: list[Flaw]
    closed: str
    blame: Blame

    def open(self) -> None: ...
    def space(self, program: TestProgram, entry: str | None) -> dict[str, Any]: ...


class Split:
    """The solution in a process of its own."""

    def __init__(self, channel: Channel, judged: bool = False) -> None:
        self._session = Session(channel, judged)
        self.flaws = self._session.flaws
        self.blame = self._session.blame

    @property
    def closed(self) -> str:
        return self._session.closed

    @closed.setter
    def closed(self, reason: str) -> None:
        self._session.closed = reason

    def open(self) -> None:
        self._session.open()
        sys.modules["solution"] = SolutionModule(self._session)

    def space(self, program: TestProgram, entry: str | None) -> dict[str, Any]:
        shadowing = program.shadowing(entry)
        space = Names(self._session, entry, shadowing, program.modules)
        self._session.scope = space.get
        self._session.expected = program.expected
        origins = Origins({program.file: program.nodes[0]}, shadowing, program.modules)
        self._session.surroundings.read(program.nodes, origins)
        if need := self._session.surroundings.need:
            raise self._session.flaw(Unsupported(need))
        self.blame.imported = program.imported
        self._session.announce(program.classes)
        return space


class Same:
    """The solution in this very process: it can reach everything, so its verdicts can be forged."""

    def __init__(self) -> None:
        self.flaws: list[Flaw] = []
        self.closed = ""
        self.blame = Blame(consulted=True)

    def open(self) -> None:
        self._module = load_solution()

    def space(self, program: TestProgram, entry: str | None) -> dict[str, Any]:
        shadowing = program.shadowing(entry)
        self.blame.imported = program.imported
        space = {name: item for name, item in vars(self._module).items() if not name.startswith("__")}
        if entry is not None:
            space.setdefault("candidate", space.get(entry))
        return {**space, "__name__": "__main__", "__builtins__": without(shadowing)}


class Runner:
    """Runs the tests of the settings and reports each."""

    def __init__(self, settings: dict[str, Any], make: Callable[[], Solution]) -> None:
        self._tests: list[str] = settings["tests"]
        self._stop: bool = settings["stop_at_first"]
        self._entry: str | None = settings["entry_point"]
        self._names = [f"assertions[{number}]" for number in range(len(self._tests))]
        self._report = Report(self._names)
        self._solution = make()
        self._solution.blame.files = frozenset(self._names)
        self._clock = Clock(settings["per_test_s"], self._flaw)

    def run(self) -> None:
        """Loads the solution, under the time limit of a test, and runs the tests."""
        error = self._caught(self._solution.open)
        if error is not None or self._solution.flaws:
            status, message = verdict(error, self._solution.flaws, self._solution.blame)
            status = "error" if status in ("failed", "bad_test") else status
            for name in self._names:
                self._report.finish(name, status, f"loading the solution: {message}", self._detail(error, "", ""))
        else:
            self._run_each()
        self._report.end()

    def _run_each(self) -> None:
        for name, source in zip(self._names, self._tests, strict=True):
            self._report.start()
            self._solution.flaws.clear()
            error = self._caught(partial(self._run_one, source, name))
            status, message = verdict(error, self._solution.flaws, self._solution.blame)
            self._report.finish(name, status, message, self._detail(error, name, source))
            if self._solution.closed or status == "time_limit" or (self._stop and status != "passed"):
                return

    def _run_one(self, source: str, name: str) -> None:
        program = TestProgram(source, name)
        space = self._solution.space(program, self._entry)
        program.run(space, None if self._entry is None else lambda: space["candidate"])

    def _caught(self, body: Callable[[], None]) -> BaseException | None:
        try:
            with self._clock:
                body()
        except BaseException as error:  # noqa: BLE001 - whatever a test or a solution raises is its result
            return error
        return None

    def _flaw(self, flaw: Flaw) -> Flaw:
        self._solution.flaws.append(flaw)
        return flaw

    def _detail(self, error: BaseException | None, file: str, source: str) -> str:
        if error is None:
            return ""
        with self._silent():
            return detail(error, file, source)

    @contextmanager
    def _silent(self) -> Iterator[None]:
        """Nothing is asked of the candidate while an exception is put into words: it might not answer."""
        closed, self._solution.closed = self._solution.closed, self._solution.closed or "the test is over"
        try:
            yield
        finally:
            self._solution.closed = closed


def main(same_process: bool = False) -> NoReturn:
    """Runs the tests of ``tests.json`` and ends the process, whatever threads there are."""
    deepen()
    with open(FILE, "rb", buffering=0) as file:  # noqa: PTH123 - pathlib would cost every start
        settings = json.loads(file.read().decode("ascii"))
    if FOLDER in sys.path:
        sys.path.remove(FOLDER)
    Runner(settings, Same if same_process else lambda: Split(take_channel(), settings["judged"])).run()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)
