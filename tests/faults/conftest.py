"""Says how long each recovery took, with ``-s``; in the report of a run they are properties of the test."""

from __future__ import annotations

import pytest


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    for name, value in report.user_properties if report.when == "call" else []:
        print(f"\n{report.nodeid.rpartition('::')[2]}: {name} {value}", end="")
