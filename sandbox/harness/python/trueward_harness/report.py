"""What came of each test, appended to ``results.ndjson`` as soon as it is known (see PROTOCOL.md).

The file is in the tests' jail, which the candidate shares nothing with. ``message`` says what happened without a
word of the test; ``detail`` may quote it. Both may hold what the candidate wrote, so all of them together are bounded
in bytes, as they stand in the file: what came of each test has its room whatever the candidate says.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from time import perf_counter

from .blame import Blame
from .exceptions import standard_name
from .flaws import BadTest, Flaw, NoTests, NotLoaded
from .limits import RESULTS_BYTES

FILE = "results.ndjson"

_ENCODER = json.JSONEncoder(check_circular=False)
_NAME = 200
_MESSAGE = 300
_DETAIL = 2000
_TEXTS_BYTES = 200_000
"""All messages and details together, as JSON: a character may take twelve bytes. Later ones are left out."""


class Report:
    """The file. ``tests`` are the names where they are known beforehand."""

    def __init__(self, tests: Sequence[str] | None) -> None:
        self._file = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._left = RESULTS_BYTES
        self._texts_left = _TEXTS_BYTES
        self._started = 0.0
        self.expect(tests)

    def expect(self, tests: Sequence[str] | None) -> None:
        """Says which tests there are."""
        self._write({"tests": None if tests is None else [name[:_NAME] for name in tests]})

    def start(self) -> None:
        """Says that a test begins, for its time."""
        self._started = perf_counter()

    def finish(self, name: str, status: str, message: str = "", detail: str = "") -> None:
        """Says what came of a test, whose time counts from its start."""
        message, detail = self._fitting(message, _MESSAGE), self._fitting(detail, _DETAIL)
        elapsed = round(perf_counter() - self._started, 6) if self._started else 0.0
        self._started = 0.0
        self._write(
            {"name": name[:_NAME], "status": status, "message": message, "detail": detail, "elapsed_s": elapsed}
        )

    def end(self) -> None:
        """Says that all that is to come has come."""
        self._write({"end": True})

    def _fitting(self, text: str, longest: int) -> str:
        """The text's beginning, where there is room for it."""
        text = text[:longest]
        size = len(_ENCODER.encode(text)) if text else 0
        if size > self._texts_left:
            return ""
        self._texts_left -= size
        return text

    def _write(self, line: object) -> None:
        """Ends the process where the file is full: a longer one would not be fetched, and all results be lost."""
        written = _ENCODER.encode(line).encode("ascii") + b"\n"
        self._left -= len(written)
        if self._left < 0:
            os._exit(1)
        os.write(self._file, written)


def is_remote(error: BaseException) -> bool:
    """Whether an exception came from the candidate's process."""
    return "_remote" in vars(error)


def verdict(error: BaseException | None, flaws: Sequence[Flaw], blame: Blame) -> tuple[str, str]:
    """Status and message of a test that ended with that exception, or none, after those flaws."""
    if flaws:
        return flaws[0].status, str(flaws[0])[:300]
    if error is None:
        return "passed", ""
    if is_remote(error):
        name = standard_name(type(error))
        status = "failed" if isinstance(error, AssertionError) else "error"
        return status, f"the solution raised {name or 'an exception of its own'}"
    if isinstance(error, AssertionError) or any(kind.__module__ == "_pytest.outcomes" for kind in type(error).__mro__):
        return "failed", "an assertion failed"
    if isinstance(error, Flaw):
        return error.status, str(error)[:300]
    if isinstance(error, FileNotFoundError) and blame.misses_file(error):
        return "unsupported", "the test looks for a file that the solution was to write, and it has other files"
    if isinstance(error, NoTests) and blame.left_no_test:
        return "error", "no test was run after the solution was asked"
    if isinstance(error, BadTest):
        return "bad_test", str(error)
    if isinstance(error, NotLoaded) or (isinstance(error, ImportError) and error.name == "solution"):
        return "error", "the solution lacks what the test imports, or fails when it is imported"
    if isinstance(error, SyntaxError | ImportError) and blame.is_authors(error):
        return "bad_test", f"the test cannot be run: {type(error).__name__}"
    return "error", f"the test raised {standard_name(type(error)) or 'an exception of its own'}"


def detail(error: BaseException | None, file: str, source: str) -> str:
    """The line of the test where it happened and what the exception says."""
    if error is None:
        return ""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    where = f"line {line}: {source.splitlines()[line - 1].strip()}\n" if line else ""
    return f"{where}{type(error).__name__}: {_text(error)}"


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:  # noqa: BLE001 - it may quote what prints itself, or cannot be printed
        return ""
