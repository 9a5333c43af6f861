"""From the log of a marked run to the map: which test files reach which mutant.

What a worker of pytest runs itself is known by file. A service or another process may be shared by files: it is
reached by the file that the worker which started it ran at that moment, and perhaps by those that other workers ran.
A log with two workers therefore names some files too many, and none too few, but for what a process computes once
and keeps: that is reached by the first file that asks.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.mutants.mutant import Mutant
from benchmarks.mutants.purity import IN_SANDBOX

_NONE = "-"
_FALLBACK = {
    "sandbox/": ("tests/sandbox/", "tests/verifiers/code/", "tests/verifiers/unit_tests/", "tests/exploits/"),
    "verifiers/sql/": ("tests/verifiers/sql/",),
    "verifiers/unit_tests/": ("tests/verifiers/unit_tests/",),
    "judges/grader/": ("tests/judges/grader/",),
}
"""The tests of code that may run where it cannot leave a note: in a jail or a container."""


@dataclass(frozen=True, slots=True)
class Reach:
    """``files``: the seconds that each test file took. By mutant's number, quickest first: ``surely`` the files that
    reach it, ``perhaps`` those that ran in another worker meanwhile."""

    files: dict[str, float] = field(default_factory=dict)
    surely: dict[str, list[str]] = field(default_factory=dict)
    perhaps: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Iterable[str]) -> Reach:
        notes = [line.split() for line in log]
        stretches = _stretches(notes)
        surely: defaultdict[str, set[str]] = defaultdict(set)
        perhaps: defaultdict[str, set[str]] = defaultdict(set)
        for _, at, worker, number, file in (note for note in notes if note[0] == "mark" and len(note) == 5):
            if file != _NONE:
                surely[number].add(file)
                continue
            for other, (starts, names) in stretches.items():
                running = bisect_right(starts, float(at)) - 1
                if running >= 0 and names[running] != _NONE:
                    (surely if worker in (other, _NONE) else perhaps)[number].add(names[running])
        seconds = _seconds(stretches)
        return cls(
            files=seconds,
            surely={number: quickest(found, seconds) for number, found in surely.items()},
            perhaps={number: quickest(found - surely[number], seconds) for number, found in perhaps.items()},
        )

    @classmethod
    def read(cls, path: Path) -> Reach:
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1, sort_keys=True) + "\n", encoding="utf-8")

    def tests(self, mutant: Mutant, there: Sequence[str]) -> list[str]:
        """The test files, of those that are there, that reach the mutant: the sure ones first.

        Where code runs inside a sandbox, or left no note and may do so, the tests of the sandbox come last.
        """
        number = str(mutant.number)
        found = [*self.surely.get(number, ()), *self.perhaps.get(number, ())]
        if mutant.path.startswith(IN_SANDBOX) or number not in self.surely:
            below = tuple(place for start, some in _FALLBACK.items() if mutant.path.startswith(start) for place in some)
            found += quickest((test for test in there if test.startswith(below)), self.files)
        return [test for test in dict.fromkeys(found) if test in set(there)]


_Stretches = dict[str, tuple[list[float], list[str]]]
"""By worker: since when which file runs, in order of time."""


def _stretches(notes: Iterable[Sequence[str]]) -> _Stretches:
    found: _Stretches = {}
    for at, worker, file in sorted((float(note[1]), note[2], note[3]) for note in notes if note[0] == "file"):
        starts, names = found.setdefault(worker, ([], []))
        starts.append(at)
        names.append(file)
    return found


def _seconds(stretches: _Stretches) -> dict[str, float]:
    """Seconds of each file, its import included, in the worker that took longest for it."""
    found: dict[str, float] = {}
    for starts, names in stretches.values():
        taken: defaultdict[str, float] = defaultdict(float)
        for name, seconds in _lengths(starts, names):
            taken[name] += seconds
        for name, seconds in taken.items():
            found[name] = round(max(seconds, found.get(name, 0.0)), 2)
    return found


def _lengths(starts: Sequence[float], names: Sequence[str]) -> Iterator[tuple[str, float]]:
    for start, end, name in zip(starts, starts[1:], names, strict=False):
        if name != _NONE:
            yield name, end - start


def quickest(files: Iterable[str], seconds: dict[str, float]) -> list[str]:
    """A file that never ran comes last."""
    return sorted(files, key=lambda file: (seconds.get(file, float("inf")), file))
