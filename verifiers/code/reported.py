"""What a process of tests reported, read in a process that can be killed where it is much.

The report of ten thousand tests is some megabytes, and that of tests in one process with the program is the program's
own words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, replace
from itertools import islice

from pydantic import JsonValue

from sandbox.base import Execution, SandboxFailure
from sandbox.harness import RESULTS, TestResult, TestStatus, read_results
from verifiers.apart import estimate_cpu_s, run_apart

_AT_ONCE = 20_000
"""Bytes that are read in the event loop: the results of a hundred tests, a millisecond."""

_ROWS = 500


async def read_report(
    execution: Execution, tests: int | None = None, *, same_process: bool = False
) -> list[TestResult]:
    """See :func:`sandbox.harness.read_results`. A report that costs more than it may is none: nothing is passed."""
    file = execution.files.get(RESULTS, b"")
    if len(file) <= _AT_ONCE:
        return read_results(execution, tests, same_process=same_process)
    bare = replace(execution, stdout=b"", stderr=execution.stderr[-500:], files={RESULTS: file})
    told = await run_apart(rows, bare, tests, same_process, cpu_s=estimate_cpu_s(len(file)))
    if not told.whole:
        return read_results(replace(bare, files={}), tests, same_process=True)
    found = []
    for value in told.values:
        if isinstance(value, str):
            raise SandboxFailure(value)
        assert isinstance(value, list)
        found += [_result(row) for row in value]
    return found


def rows(execution: Execution, tests: int | None, same_process: bool) -> Iterator[JsonValue]:
    """Lists of results as JSON, or the text of a SandboxFailure."""
    try:
        results = iter(read_results(execution, tests, same_process=same_process))
    except SandboxFailure as failure:
        yield str(failure)
        return
    while some := list(islice(results, _ROWS)):
        yield [list(astuple(result)) for result in some]


def _result(row: JsonValue) -> TestResult:
    assert isinstance(row, list)
    name, status, message, detail, elapsed_s = row
    assert isinstance(elapsed_s, float)
    return TestResult(str(name), TestStatus(str(status)), str(message), str(detail), elapsed_s)
