"""Two bare processes with crossed pipes: a pair without a sandbox, for tests of the harness alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox.base import Execution, Program, Status, Usage
from sandbox.harness import TestResult, assertions_program, candidate_program, read_results, same_process_program

HARNESS = Path(__file__).parents[3] / "sandbox" / "harness" / "python"
_USAGE = Usage(0.0, 0.0, 0)


def _laid_out(program: Program, folder: Path) -> list[str]:
    folder.mkdir()
    for name, content in program.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "main.py").write_text(program.source.replace("/opt/trueward/python", str(HARNESS)))
    return [sys.executable, "-I", "main.py"]


def _ended(process: subprocess.Popen[bytes], program: Program, folder: Path, status: Status) -> Execution:
    files = {name: (folder / name).read_bytes() for name in program.fetch if (folder / name).exists()}
    stderr = (folder / "stderr").read_bytes()
    return Execution(status, _USAGE, exit_code=process.returncode, stderr=stderr, files=files)


def run_pair(first: Program, second: Program, wall_s: float = 20.0) -> tuple[Execution, Execution]:
    """Both programs to the end of the first."""
    with tempfile.TemporaryDirectory() as name:
        folders = [Path(name) / "first", Path(name) / "second"]
        commands = [_laid_out(program, folder) for program, folder in zip((first, second), folders, strict=True)]
        (a_read, a_write), (b_read, b_write) = os.pipe(), os.pipe()
        processes = []
        for command, folder, stdin, stdout in zip(commands, folders, (b_read, a_read), (a_write, b_write), strict=True):
            with (folder / "stderr").open("wb") as stderr:
                processes.append(subprocess.Popen(command, cwd=folder, stdin=stdin, stdout=stdout, stderr=stderr))
        for descriptor in (a_read, a_write, b_read, b_write):
            os.close(descriptor)
        statuses = [Status.FINISHED, Status.FINISHED]
        try:
            processes[0].wait(wall_s)
        except subprocess.TimeoutExpired:
            statuses = [Status.TIME_LIMIT, Status.STOPPED]
            processes[0].kill()
        try:
            processes[1].wait(0.1)  # a candidate that spins would spin on, and nobody reads how it ended
        except subprocess.TimeoutExpired:
            processes[1].kill()
        for process in processes:
            process.wait()
        programs = zip(processes, (first, second), folders, statuses, strict=True)
        a, b = (_ended(*ended) for ended in programs)
        return a, b


def run_alone(program: Program, stdin: bytes = b"", wall_s: float = 20.0) -> Execution:
    """One program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "only"
        command = _laid_out(program, folder)
        with subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            stdout, stderr = process.communicate(stdin, wall_s)
        (folder / "stderr").write_bytes(stderr)
        ended = _ended(process, program, folder, Status.FINISHED if not process.returncode else Status.NONZERO_EXIT)
        return Execution(ended.status, _USAGE, process.returncode, stdout=stdout, stderr=stderr, files=ended.files)


def split(
    code: str, *tests: str, per_test_s: float = 10.0, entry_point: str | None = None, wall_s: float = 20.0
) -> list[TestResult]:
    """The results of assertion programs against a solution in a process of its own."""
    first, _ = run_pair(
        assertions_program("python", tests, per_test_s, entry_point=entry_point),
        candidate_program("python", code),
        wall_s,
    )
    return read_results(first, len(tests))


def same_process(code: str, *tests: str, per_test_s: float = 10.0, entry_point: str | None = None) -> list[TestResult]:
    """The same with all of it in one process."""
    ended = run_alone(same_process_program("python", code, tests, per_test_s, entry_point=entry_point))
    return read_results(ended, len(tests), same_process=True)
