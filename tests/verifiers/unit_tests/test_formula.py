"""The reward's formula, and which lines of a solution a suite reaches."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from verifiers.unit_tests.coverage import FILE, instrument, share
from verifiers.unit_tests.verifier import suite_score

SOLUTION = '''"""Doc."""
from __future__ import annotations

LIMIT: int = 3


def grade(n: int) -> str:
    """Doc."""
    global LIMIT
    if n > LIMIT:
        return "high"
    for _ in range(2):
        n += 1
    else:
        n -= 1
    try:
        return str(n)
    finally:
        LIMIT = 3
'''


def test_the_worked_number() -> None:
    assert suite_score(valid=True, correct=True, coverage=0.8, kill=0.5, a=0.5) == pytest.approx(0.65)


@pytest.mark.parametrize(("valid", "correct"), [(False, True), (True, False)])
def test_a_suite_that_is_none_or_wrong_scores_nothing(valid: bool, correct: bool) -> None:
    assert suite_score(valid=valid, correct=correct, coverage=1.0, kill=1.0, a=0.5) == 0.0


def test_without_coverage_the_score_is_the_kill_rate() -> None:
    assert suite_score(valid=True, correct=True, coverage=0.3, kill=0.25, a=0.0) == 0.25


def reached(call: str, folder: Path) -> set[int]:
    text, _ = instrument(SOLUTION)
    (folder / "solution.py").write_text(text)
    command = [sys.executable, "-c", f"import solution; print(solution.__doc__, {call})"]
    printed = subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout
    assert printed.startswith("Doc.")
    return {int(line) for line in (folder / FILE).read_text().split()}


def test_each_statement_reports_its_line_once(tmp_path: Path) -> None:
    _, lines = instrument(SOLUTION)
    high = reached("solution.grade(9)", tmp_path)
    assert lines - high == {12, 13, 15, 16, 17, 19}
    (tmp_path / FILE).unlink()
    assert reached("(solution.grade(9), solution.grade(1))", tmp_path) == lines


def test_the_share_counts_known_lines_alone() -> None:
    assert share(b"1\n2\n99\nx\n", frozenset({1, 2, 3, 4})) == 0.5
    assert share(b"", frozenset()) == 1.0
