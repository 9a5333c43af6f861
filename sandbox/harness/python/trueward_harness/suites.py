"""Runs test files against the candidate's process: with pytest, with unittest, or as scripts.

The file ``trueward-suite.json`` beside them: ``{"command": [runner, argument, ...], "per_test_s", "files",
"judged"}``. In them ``solution`` is a module that stands for the candidate's. What a runner says of itself (its exit
code, its output) counts for nothing: each test's own end is reported, and the flaws that a session noted.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from .blame import find_imported, has_tests
from .channel import take_channel
from .clock import Clock
from .flaws import Unsupported
from .loading import FOLDER, deepen
from .module import Names, SolutionModule
from .origins import Origins
from .program import TestProgram, classes, find_bindings
from .report import Report, detail, verdict
from .session import Session
from .steering import find_expected

FILE = "trueward-suite.json"


class Suite:
    """What each runner needs: a session, a report and a time limit for one test after the other."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.arguments: list[str] = settings["command"][1:]
        self._files: list[str] = [name for name in settings["files"] if name.endswith(".py")]
        self.report = Report(None)
        self.session = Session(take_channel(), settings["judged"])
        self.clock = Clock(settings["per_test_s"], self.session.flaw)

    @property
    def over(self) -> bool:
        """Whether nothing more can be run in this process."""
        return bool(self.session.closed) or any(flaw.status == "time_limit" for flaw in self.session.flaws)

    def open(self) -> bool:
        """Loads the solution; where that fails, reports it as the only test."""
        error: BaseException | None = None
        try:
            with self.clock:
                self.session.open()
                by_file = _trees(self._files)
                trees = list(by_file.values())
                names = {name for tree in trees for name in find_bindings(tree)}
                sys.modules["solution"] = SolutionModule(self.session, names)
                self.session.scope = _class_of_tests
                nodes = [node for tree in trees for node in ast.walk(tree)]
                self.session.expected = find_expected(nodes)
                self.session.surroundings.read(nodes, Origins(by_file))
                if need := self.session.surroundings.need:
                    raise self.session.flaw(Unsupported(need))
                self.session.blame.files = frozenset(map(os.path.normpath, self._files))
                self.session.blame.imported = find_imported(nodes)
                self.session.blame.has_tests = has_tests(nodes)
                self.session.announce([name for tree in trees for name in classes(tree)])
        except BaseException as failure:  # noqa: BLE001 - whatever a solution raises at its top level
            error = failure
        if error is None and not self.session.flaws:
            return True
        status, message = verdict(error, self.session.flaws, self.session.blame)
        status = "error" if status in ("failed", "bad_test") else status
        self.report.finish("solution", status, f"loading the solution: {message}")
        return False

    def finish(self, name: str, error: BaseException | None, text: str = "") -> None:
        """Reports a test that ended with that exception, or none."""
        status, message = verdict(error, self.session.flaws, self.session.blame)
        self.report.finish(name, status, message, text or self._detail(error))

    def _detail(self, error: BaseException | None) -> str:
        closed, self.session.closed = self.session.closed, self.session.closed or "the test is over"
        try:
            return detail(error, "", "")
        finally:
            self.session.closed = closed

    def script(self) -> None:
        """Runs one file as a program; the whole is one test."""
        name = self.arguments[0]
        sys.argv = list(self.arguments)
        self.report.start()
        error: BaseException | None = None
        try:
            with open(name, encoding="utf-8") as file:  # noqa: PTH123 - pathlib would cost every start
                program = TestProgram(file.read(), name)
            with self.clock:
                program.run(Names(self.session, None, set(), program.modules), None)
        except BaseException as failure:  # noqa: BLE001 - whatever a test raises is its result
            error = failure
        self.finish(name, error)


def _trees(files: Sequence[str]) -> dict[str, ast.Module]:
    trees = {}
    for name in files:
        with open(name, "rb") as file:  # noqa: PTH123 - pathlib would cost every start
            source = file.read()
        with suppress(SyntaxError, ValueError):  # reported where the file is run
            trees[name] = ast.parse(source)
    return trees


def _class_of_tests(name: str) -> object:
    here = os.getcwd()  # noqa: PTH109 - pathlib would cost every start
    for module in list(sys.modules.values()):
        if (getattr(module, "__file__", None) or "").startswith(here) and name in vars(module):
            return vars(module)[name]
    return None


def main() -> NoReturn:
    """Runs the suite and ends the process, whatever threads there are."""
    deepen()
    with open(FILE, encoding="utf-8") as file:  # noqa: PTH123 - pathlib would cost every start
        settings = json.load(file)
    with suppress(ValueError):
        sys.path.remove(FOLDER)
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - pathlib would cost every start
    suite = Suite(settings)
    if suite.open():
        runner = settings["command"][0]
        if runner == "script":
            suite.script()
        else:
            import_module(f"{__package__}.run_{runner}").run(suite)
    suite.report.end()
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(0)
