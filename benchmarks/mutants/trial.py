"""One mutant's trial: its test files one after another, until one notices it or the time is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.mutants.checkout import Checkout, Run
from benchmarks.mutants.mutant import Gone, Mutant
from benchmarks.mutants.results import Result, Stage, Word

GRACE_S = 60.0
TIMES = 10.0
"""A file has hung that takes this many times as long as it did without a fault, and ``GRACE_S``."""
_CLEARLY = 3.0
_ATTEMPTS = 5
"""How many tests of one file may fail without the fault, before the file is given up."""


@dataclass(slots=True)
class Trial:
    """``known_s``: how long files take without a fault, where that is known. ``limit_s`` bounds all runs together,
    those without the fault, which only confirm, left out."""

    tree: Checkout
    mutant: Mutant
    stage: Stage
    limit_s: float
    known_s: Mapping[str, float] = field(default_factory=dict)
    _spent_s: float = 0.0
    _ran: list[str] = field(default_factory=list)
    _broken: list[str] = field(default_factory=list)
    _cut: bool = False
    """Whether a file was stopped that may only be slow."""

    def run(self, files: Sequence[str]) -> Result:
        try:
            text = self.mutant.applied(self.tree.text(self.mutant.path))
        except (Gone, FileNotFoundError):
            return self._result("gone")
        if not files:
            return self._result("no tests")
        for file in files:
            if self._spent_s >= self.limit_s:
                return self._result("out of time")
            self._ran.append(file)
            for run in self._runs(file, text):
                word = self._judged(file, run)
                if word is not None:
                    return self._result(word, run.failed[0] if run.failed else file)
        return self._result("out of time" if self._cut else "survived")

    def _runs(self, file: str, text: str) -> Iterator[Run]:
        """The file with the fault, again after each failure that is not the fault's, without that test."""
        for _ in range(_ATTEMPTS):
            limit_s = min(self.limit_s - self._spent_s, self._hung_s(file))
            if limit_s <= 0:
                return
            with self.tree.changed({self.mutant.path: text}):
                run = self.tree.run([file], limit_s, without=self._broken)
            self._spent_s += run.seconds
            yield run
            if run.outcome != "failed" or file in self._broken:
                return

    def _judged(self, file: str, run: Run) -> Word | None:
        """None where the run tells nothing of the fault. The same tests are run without it."""
        if run.outcome == "passed":
            return None
        if run.outcome == "stopped":
            if self.tree.run([file], run.seconds / _CLEARLY).outcome == "passed":
                return "hung"
            self._cut = True
            return None
        failed = run.failed or [file]
        sound = self.tree.run(failed, max(self.limit_s, GRACE_S))
        if sound.outcome == "passed":
            return "killed"
        self._broken.extend(one for one in failed if one not in self._broken)
        return None

    def _hung_s(self, file: str) -> float:
        known = self.known_s.get(file)
        return self.limit_s if known is None else GRACE_S + TIMES * known

    def _result(self, word: Word, test: str = "") -> Result:
        files = tuple(self._ran)
        return Result(self.mutant.number, self.stage, word, test, round(self._spent_s, 1), files, tuple(self._broken))
