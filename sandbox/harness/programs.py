"""The programs of a run: what a sandbox is given to open or to pair."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from sandbox.base import Program
from sandbox.harness.python.trueward_harness.limits import RESULTS_BYTES

RESULTS = "results.ndjson"
_START = """\
import sys; sys.path.insert(0, "/opt/trueward/python")
from trueward_harness.{module} import main; main({arguments})
"""
_SOLUTION = {"python": "solution.py", "javascript": "solution.js"}
# Node cannot move its descriptors: the shell puts the channel on 3 and 4, so that no print of a program meets it
_NODE = "exec node --v8-pool-size=2 /opt/trueward/javascript/{module}.js {arguments} 3<&0 4>&1 0</dev/null 1>&2"


class HarnessError(ValueError):
    """What was asked for cannot be run by the harness: the caller's doing."""


def calls_program(language: str, code: str) -> Program:
    """The candidate alone: calls (:func:`encode_calls`) on standard input, results on standard output."""
    return _program(language, "calls", _candidate(language, code))


def candidate_program(language: str, code: str, *, sealed: bool = False) -> Program:
    """The second of a pair: serves the tests. ``sealed`` (Python alone): it does not tell how it is written."""
    if sealed and language != "python":
        raise HarnessError(f"a program in {language} cannot be sealed")
    arguments = "sealed=True" if sealed else ""
    return _program(language, "candidate", _candidate(language, code), arguments)


def assertions_program(
    language: str,
    tests: Sequence[str],
    per_test_s: float,
    stop_at_first: bool = False,
    entry_point: str | None = None,
    *,
    judged: bool = False,
) -> Program:
    """The first of a pair: runs test programs in order, each over the candidate's names.

    A builtin's name means the builtin, unless it is ``entry_point`` (the function under test), or the program uses
    nothing else of the solution and its assertions call no other builtin: then it is the solution's, or missing. In
    JavaScript only ``entry_point`` is.

    Results are named ``assertions[0]``, ``assertions[1]``, ...; the run ends at the first test that runs out of
    ``per_test_s`` or loses the candidate, and the caller may start again with those not run. ``judged``: the tests are
    what is judged, so nothing that they do is ``unsupported`` for want of one process.
    """
    files = {"tests.json": _settings(tests, per_test_s, stop_at_first, entry_point, judged)}
    return _program(language, "assertions", files, fetch=(RESULTS,))


def same_process_program(
    language: str,
    code: str,
    tests: Sequence[str],
    per_test_s: float,
    stop_at_first: bool = False,
    entry_point: str | None = None,
) -> Program:
    """Tests and candidate in one process: a hostile candidate can forge the results."""
    whole = _candidate(language, code)
    whole["tests.json"] = _settings(tests, per_test_s, stop_at_first, entry_point)
    arguments = "same_process" if language == "javascript" else "same_process=True"
    return _program(language, "assertions", whole, arguments, fetch=(RESULTS,))


def command_program(
    language: str, files: Mapping[str, bytes], command: str, per_test_s: float, *, judged: bool = False
) -> Program:
    """The first of a pair: runs test files, in which ``solution`` stands for the candidate.

    ``command``: ``pytest [...]``, ``python -m pytest [...]``, ``unittest [...]``, ``python -m unittest [...]`` or
    ``python FILE [...]``. ``judged``: as in :func:`assertions_program`. Raises HarnessError for any other, and for
    files that would hide the candidate's.
    """
    if language != "python":
        raise HarnessError(f"test files with a command are run in Python, not in {language}")
    words = _words(command)
    names = {PurePosixPath(name) for name in files}
    if PurePosixPath(_solution(language)) in names:
        raise HarnessError(f"{_solution(language)} is the candidate's; tests cannot bring one")
    if words[0] == "script" and PurePosixPath(words[1]) not in names:
        raise HarnessError(f"the command runs {words[1]}, which is not among the files")
    settings = {"command": words, "per_test_s": per_test_s, "files": sorted(files), "judged": judged}
    written = json.dumps(settings).encode("ascii")
    return _program(language, "suites", {**files, "trueward-suite.json": written}, fetch=(RESULTS,))


def _words(command: str) -> list[str]:
    """The runner (``pytest``, ``unittest`` or ``script``) and its arguments."""
    try:
        words = shlex.split(command)
    except ValueError as failure:
        raise HarnessError(f"the command cannot be read: {failure}") from None
    match words:
        case ["pytest" | "py.test", *arguments]:
            return ["pytest", *arguments]
        case ["unittest", *arguments]:
            return ["unittest", *arguments]
        case ["python" | "python3", "-m", ("pytest" | "unittest") as runner, *arguments]:
            return [runner, *arguments]
        case ["python" | "python3", script, *arguments] if script.endswith(".py"):
            return ["script", script, *arguments]
    raise HarnessError("the command is none of: pytest, python -m pytest, python -m unittest, python FILE.py")


def _settings(
    tests: Sequence[str], per_test_s: float, stop_at_first: bool, entry_point: str | None, judged: bool = False
) -> bytes:
    settings = {
        "tests": list(tests),
        "per_test_s": per_test_s,
        "stop_at_first": stop_at_first,
        "entry_point": entry_point,
        "judged": judged,
    }
    return json.dumps(settings).encode("ascii")


def _candidate(language: str, code: str) -> dict[str, bytes]:
    # in Python the program's own source file, which starts the harness, is called solution.py
    name = "candidate.py" if language == "python" else _solution(language)
    return {name: code.encode("utf-8", "surrogatepass")}


def _solution(language: str) -> str:
    if language not in _SOLUTION:
        raise HarnessError(f"the harness does not speak {language}")
    return _SOLUTION[language]


def _program(
    language: str, module: str, files: dict[str, bytes], arguments: str = "", *, fetch: tuple[str, ...] = ()
) -> Program:
    """The program that starts a module of the harness among the files."""
    room = RESULTS_BYTES if fetch else 0
    if language == "javascript":
        files = dict(files)
        source = files.pop(_solution(language), b"").decode("utf-8", "surrogatepass")
        node = _NODE.format(module=module, arguments=arguments)
        command: tuple[str, ...] = ("sh", "-c", node)
    else:
        _solution(language)
        source = _START.format(module=module, arguments=arguments)
        command = ()
    return Program(language, source, files=files, fetch=fetch, fetch_bytes=room, command=command, harness=True)
