"""Says how long each recovery took, with ``-s``; in the report of a run they are properties of the test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.durations import TOLD

FOLDER = Path(__file__).parent.relative_to(Path(__file__).parents[2]).as_posix()


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    recorded = [one for one in report.user_properties if one[0] != TOLD]
    for name, value in recorded if report.when == "call" and report.nodeid.startswith(FOLDER) else []:
        print(f"\n{report.nodeid.rpartition('::')[2]}: {name} {value}", end="")
