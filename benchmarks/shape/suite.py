"""The last runs of the test suite: how long they took, and what took it."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from benchmarks.shape.sources import ROOT

REPORTS = {name: ROOT / f".pytest_cache/{name}.json" for name in ("test", "test-rest")}
"""What ``make test`` and ``make test-rest`` write, and nothing else does."""
SLOWEST = 150


@dataclass(frozen=True, slots=True)
class Timing:
    """A test, a file or a folder: seconds by the clock, CPU seconds, and the services that it started."""

    name: str
    seconds: float = 0.0
    cpu_s: float = 0.0
    services: int = 0
    tests: int = 1

    def plus(self, seconds: float, cpu_s: float, services: int, tests: int = 0) -> Timing:
        return Timing(
            self.name, self.seconds + seconds, self.cpu_s + cpu_s, self.services + services, self.tests + tests
        )

    @property
    def waited_s(self) -> float:
        return max(0.0, self.seconds - self.cpu_s)


@dataclass(frozen=True, slots=True)
class Suite:
    """One run. ``tests`` tells a whole run from one of a part (``PYTEST_ARGS``).

    ``computed_s`` and ``waited_s`` add up over all tests, so their sum is the workers' time.
    """

    at: str
    seconds: float
    workers: int
    tests: int
    failed: int
    skipped: int
    computed_s: float
    waited_s: float
    services: int
    folders: list[Timing] = field(repr=False)
    files: list[Timing] = field(repr=False)
    slowest: list[Timing] = field(repr=False)

    @classmethod
    def of(
        cls, at: datetime, seconds: float, workers: int, failed: int, skipped: int, timings: Sequence[Timing]
    ) -> Self:
        return cls(
            at=at.isoformat(timespec="seconds"),
            seconds=seconds,
            workers=workers,
            tests=len(timings),
            failed=failed,
            skipped=skipped,
            computed_s=sum(timing.cpu_s for timing in timings),
            waited_s=sum(timing.waited_s for timing in timings),
            services=sum(timing.services for timing in timings),
            folders=_together(timings, _folder),
            files=_together(timings, _file)[:SLOWEST],
            slowest=sorted(timings, key=lambda timing: -timing.seconds)[:SLOWEST],
        )

    @classmethod
    def read(cls, path: Path) -> Self | None:
        """What a run left; None where there was none."""
        if not path.is_file():
            return None
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        for name in ("folders", "files", "slowest"):
            document[name] = [Timing(**one) for one in document[name]]
        return cls(**document)

    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = _rounded(asdict(self))
        return document

    @property
    def summary(self) -> str:
        return (
            f"{self.seconds:.0f} s for {self.tests} tests in {self.workers} processes, {self.failed} failed, "
            f"{self.skipped} skipped ({self.at}); {self.computed_s:.0f} s computed, {self.waited_s:.0f} s waited, "
            f"{self.services} services started"
        )


def suites() -> dict[str, Suite]:
    """The last run of each target that has run in this checkout."""
    return {name: found for name, path in REPORTS.items() if (found := Suite.read(path)) is not None}


def _file(test: str) -> str:
    return test.partition("::")[0]


def _folder(test: str) -> str:
    """The first two folders: ``tests/app/audit`` for all that is below it."""
    parts = _file(test).split("/")[:-1]
    return "/".join(parts[:3])


def _together(timings: Iterable[Timing], name_of: Any) -> list[Timing]:
    """Added up by a part of their names, the longest first."""
    sums: dict[str, Timing] = defaultdict()
    for timing in timings:
        name = name_of(timing.name)
        before = sums.get(name) or Timing(name, tests=0)
        sums[name] = before.plus(timing.seconds, timing.cpu_s, timing.services, timing.tests)
    return sorted(sums.values(), key=lambda timing: -timing.seconds)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_rounded(one) for one in value]
    return value
