"""What a verdict tells the policy, at most 4 kB, at the level that the caller allows.

Below ``full`` nothing appears that a hidden test holds: no input, no expected value, no text of a test, and nothing
that the program wrote or raised while it had a test's input (it could repeat it). What is left at ``redacted`` is the
compiler's output, which is made before any test is there, and the names of tests. Where tests are compiled into the
program (``same_process``), the compiler's output is left out too.
"""

from __future__ import annotations

from verifiers.code.params import Level
from verifiers.code.result import Report, Result

LONGEST = 4_000
"""Bytes of feedback, in UTF-8."""

LISTED = 20
"""Tests that are named."""


def feedback(report: Report, level: Level) -> str | None:
    """The text; None at the level ``none``."""
    if level == "none":
        return None
    if report.compile_output is not None:
        lines = ["The program does not compile."]
        if level == "full" or (level == "redacted" and not report.forgeable):
            lines.append(report.compile_output)
    else:
        failures = report.failures
        lines = [f"{report.passed} of {len(report.results)} tests passed."]
        lines += [_line(result, level) for result in failures[:LISTED]]
        if len(failures) > LISTED:
            lines.append(f"... and {len(failures) - LISTED} more")
    return _cut("\n".join(lines))


def _line(result: Result, level: Level) -> str:
    if level == "status":
        return f"{result.kind} {result.index + 1}: {result.status}"
    line = f"{result.label}: {result.status}"
    return f"{line}\n{result.shown}" if level == "full" and result.shown else line


def _cut(text: str) -> str:
    written = text.encode()
    if len(written) <= LONGEST:
        return text
    return written[: LONGEST - 4].decode(errors="ignore") + " ..."
