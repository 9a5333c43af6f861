"""What the ledger has of the samples that are judged again: each once, with what was said of it last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trueward.wire.verdict import Outcome


@dataclass(frozen=True, slots=True)
class Stored:
    """A verdict or a reward of then. ``sample`` is the content's fingerprint.

    ``together`` numbers what it was judged with: its group (or prompt) in one request, or in one step of a run where
    the ledger does not know the request; ``unit`` the same by pair, where it has one. ``shared`` numbers what shares
    its errors: the group, else the prompt, else the sample, whatever the request.
    """

    record: str
    sample: str
    group: str | None
    pair: str | None
    together: int
    unit: int
    shared: int
    data_source: str
    accepted: bool | None
    score: float | None
    outcome: Outcome
    reason_code: str


Unit = list[Stored]
"""What has to be judged in one request: a group, or the groups of a pair."""


class ChosenUnits(NamedTuple):
    """Units of the newest ``limit`` samples, oldest first.

    ``records`` is how many records the population has, ``older`` how many samples the limit left out.
    """

    units: list[Unit]
    records: int
    older: int


def choose(rows: Sequence[Stored], limit: int, grouped: bool) -> ChosenUnits:
    """Of rows, oldest first, the units that are judged again: see :class:`ChosenUnits`."""
    newest_first = list(_different(_units(rows))) if grouped else _units(_once(rows))
    taken: list[Unit] = []
    samples = 0
    for unit in newest_first:
        if taken and samples + len(unit) > limit:
            break
        taken.append(unit)
        samples += len(unit)
    return ChosenUnits(taken[::-1], len(rows), sum(map(len, newest_first)) - samples)


def _once(rows: Sequence[Stored]) -> Iterable[Stored]:
    """Of each sample what was said of it last, oldest first."""
    return sorted({row.sample: row for row in rows}.values(), key=lambda row: row.record)


def _units(rows: Iterable[Stored]) -> list[Unit]:
    """Newest first, by the last of their records."""
    units: defaultdict[int, Unit] = defaultdict(list)
    for row in rows:
        units[row.unit].append(row)
    return sorted(units.values(), key=lambda unit: unit[-1].record, reverse=True)


def _different(units: Iterable[Unit]) -> Iterator[Unit]:
    """Of units with the very same samples the first."""
    seen: set[tuple[str, ...]] = set()
    for unit in units:
        samples = tuple(sorted(row.sample for row in unit))
        if samples not in seen:
            seen.add(samples)
            yield unit
