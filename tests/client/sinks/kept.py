"""A sink that keeps in memory what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueward.sinks import Row
from trueward.wire.watch import Alarm


class Kept:
    def __init__(self, fails_at: int | None = None) -> None:
        self.numbers: list[tuple[int, dict[str, float]]] = []
        self.rows: list[tuple[int, list[Row]]] = []
        self.alarms: list[Alarm] = []
        self._fails_at = fails_at

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        if step == self._fails_at:
            raise OSError("the disk is full")
        self.numbers.append((step, dict(numbers)))

    def table(self, step: int, rows: Sequence[Row]) -> None:
        self.rows.append((step, list(rows)))

    def alarm(self, alarm: Alarm) -> None:
        self.alarms.append(alarm)

    def close(self) -> None:
        self.numbers.append((-1, {}))

    @property
    def steps(self) -> list[int]:
        return [step for step, _ in self.numbers]
