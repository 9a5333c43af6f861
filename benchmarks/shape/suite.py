"""The last ``make test``: how long it took and what came of it, as pytest left it; None where there was none."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.shape.sources import ROOT

REPORT = ROOT / ".pytest_cache/suite.xml"
"""Written by ``make test``, and by nothing else."""


@dataclass(frozen=True, slots=True)
class Suite:
    """``tests`` tells a whole run from one of a part (``PYTEST_ARGS``)."""

    at: str
    seconds: float
    tests: int
    failed: int
    skipped: int

    @property
    def told(self) -> str:
        return f"{self.seconds:.0f} s for {self.tests} tests, {self.failed} failed, {self.skipped} skipped ({self.at})"


def suite(report: Path = REPORT) -> Suite | None:
    if not report.is_file():
        return None
    run = ElementTree.parse(report).getroot().find("testsuite")
    assert run is not None, "pytest writes one test suite"
    counts = {name: int(run.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")}
    failed = counts["failures"] + counts["errors"]
    return Suite(run.get("timestamp", ""), float(run.get("time", "0")), counts["tests"], failed, counts["skipped"])
