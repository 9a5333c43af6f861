"""A sink of one's own: a line of JSON a step, in the file that is named behind ``lines:``."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from trueward.sinks import Place, Row
from trueward.wire.watch import Alarm


class LineSink:
    def __init__(self, place: Place) -> None:
        self._path = Path(place.target or "lines.jsonl")

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        self._write({"step": step, **numbers})

    def table(self, step: int, rows: Sequence[Row]) -> None:
        self._write({"step": step, "samples": [row._asdict() for row in rows]})

    def alarm(self, alarm: Alarm) -> None:
        self._write({"alarm": alarm.finding.detail})

    def close(self) -> None:
        """Every line is written already."""

    def _write(self, line: Mapping[str, object]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
