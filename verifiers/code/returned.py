"""Reads what the calls of a test gave and compares it with what is expected: runs in a process that can be killed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pydantic import JsonValue

from sandbox.harness import NotPlain, Raised, Result, results_of
from verifiers.code.equal import Tolerance, equal
from verifiers.code.result import TestStatus
from verifiers.code.shown import excerpt, format_value


class Anything(NamedTuple):
    """What a method must return whose test states nothing: it only must not raise."""


class Read(NamedTuple):
    """Of one test: the first thing wrong with its results, if any; whether some are missing; the last in words."""

    status: TestStatus | None
    cut_off: bool
    shown: str


def compare_results(
    stdout: bytes, tests: list[list[object]], tolerance: Tolerance | None, shows: bool
) -> Iterator[JsonValue]:
    """A :class:`Read` for each test, up to the first whose results are cut off. Each test is its expected values."""
    results = results_of(stdout)
    for expected in tests:
        given = [result for _, result in zip(expected, results, strict=False)]
        cut_off = len(given) < len(expected)
        status = _status(zip(given, expected, strict=False), tolerance)
        shown = _shown(given[-1]) if shows and given and (cut_off or status is not None) else ""
        yield list(Read(status, cut_off, shown))
        if cut_off:
            return


def read(told: JsonValue) -> Read:
    """What :func:`compare_results` told."""
    assert isinstance(told, list)
    status, cut_off, shown = told
    return Read(None if status is None else TestStatus(str(status)), bool(cut_off), str(shown))


def _status(pairs: Iterable[tuple[Result, object]], tolerance: Tolerance | None) -> TestStatus | None:
    for answer, wanted in pairs:
        if isinstance(answer, Raised):
            return TestStatus.RAISED
        if isinstance(answer, NotPlain):
            return TestStatus.NOT_PLAIN
        if not isinstance(wanted, Anything) and not equal(answer.value, wanted, tolerance):
            return TestStatus.WRONG_VALUE
    return None


def _shown(answer: Result) -> str:
    if isinstance(answer, Raised):
        return f"raised: {excerpt(f'{answer.type}: {answer.message}')}"
    if isinstance(answer, NotPlain):
        return f"no plain value: {excerpt(answer.reason)}"
    return f"got: {format_value(answer.value)}"
