"""What became of each mutant, written down after each trial."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from benchmarks.mutants.mutant import Mutant

Stage = Literal["beside", "reach"]
Word = Literal["killed", "hung", "survived", "out of time", "no tests", "gone"]
NOTICED = ("killed", "hung")


@dataclass(frozen=True, slots=True)
class Result:
    """``killed``: ``test`` fails with the fault and passes without. ``hung``: the file ``test`` does not end.

    ``survived``: all ``files`` pass; ``out of time``: as many as there was time for. ``seconds`` are of the runs with
    the fault. ``broken`` are tests that failed without it as well, and were left out.
    """

    number: int
    stage: Stage
    word: Word
    test: str = ""
    seconds: float = 0.0
    files: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

    @property
    def noticed(self) -> bool:
        return self.word in NOTICED


class Results:
    """The document at ``path``: results in the order of their trials. What is there is not tried again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
        self.all = [Result(**{**one, "files": tuple(one["files"]), "broken": tuple(one["broken"])}) for one in known]

    def add(self, result: Result) -> None:
        self.all.append(result)
        written = self._path.with_name(f"{self._path.name}.new")
        written.write_text(json.dumps([asdict(one) for one in self.all], indent=1) + "\n", encoding="utf-8")
        written.replace(self._path)

    def of(self, number: int, stage: Stage) -> Result | None:
        return next((one for one in self.all if one.number == number and one.stage == stage), None)

    def noticed(self, number: int) -> Result | None:
        """The trial that noticed it, of whatever stage."""
        return next((one for one in self.all if one.number == number and one.noticed), None)

    def is_due(self, number: int, stage: Stage) -> bool:
        return self.of(number, stage) is None and self.noticed(number) is None


def table(mutants: Sequence[Mutant], results: Results) -> list[list[str]]:
    """A row a package and one of all: drawn, noticed beside, noticed by what reaches, not noticed, gone, not tried."""
    packages = [*dict.fromkeys(one.package for one in mutants)]
    rows = [_row(name, [one for one in mutants if one.package == name], results) for name in packages]
    pure = _row("of these pure", [one for one in mutants if one.pure], results)
    return [*rows, _row("all", mutants, results), pure]


def lost(mutants: Iterable[Mutant], before: Results, after: Results) -> dict[str, list[str]]:
    """What a change of the tests cost: mutants, and pure ones beside their module, noticed before and not after."""
    found: dict[str, list[str]] = {"no longer noticed": [], "pure, and no longer noticed beside": []}
    for mutant in mutants:
        number = mutant.number
        if before.noticed(number) and not after.noticed(number):
            found["no longer noticed"].append(_told(mutant, before.noticed(number), after))
        was, now = before.of(number, "beside"), after.of(number, "beside")
        if mutant.pure and was and was.noticed and not (now and now.noticed):
            found["pure, and no longer noticed beside"].append(_told(mutant, was, after))
    return found


HEADER = ("package", "drawn", "beside", "by reach", "survived", "out of time", "no tests", "gone", "not tried")


def _row(name: str, mutants: Sequence[Mutant], results: Results) -> list[str]:
    counted = Counter(_column(one.number, results) for one in mutants)
    return [name, str(len(mutants)), *(str(counted[column]) for column in HEADER[2:])]


def _column(number: int, results: Results) -> str:
    noticed = results.noticed(number)
    if noticed:
        return "beside" if noticed.stage == "beside" else "by reach"
    beside, reach = results.of(number, "beside"), results.of(number, "reach")
    # what has passed beside is not run again by reach, which may leave it nothing to run
    last = beside if beside and reach and reach.word == "no tests" else reach or beside
    return last.word if last else "not tried"


def _told(mutant: Mutant, was: Result | None, after: Results) -> str:
    return f"{mutant}: {was.test if was else ''}, now {_column(mutant.number, after)}"
