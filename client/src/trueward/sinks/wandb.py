"""Weights & Biases: a run of the same name; the target is the project. Offline with ``WANDB_MODE=offline``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trueward.sinks.names import file_name, shorten
from trueward.sinks.sink import Place, Row, import_optional
from trueward.wire.watch import Alarm


class WandbSink:
    def __init__(self, place: Place) -> None:
        self._wandb = import_optional("wandb", "wandb")
        place.folder.mkdir(parents=True, exist_ok=True)
        self._run = self._wandb.init(
            project=place.target or "trueward",
            id=file_name(place.run),
            name=shorten(place.run),
            resume="allow",
            dir=str(place.folder),
            config=dict(place.config),
        )

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        self._run.log(dict(numbers), step=step)

    def table(self, step: int, rows: Sequence[Row]) -> None:
        self._run.log(
            {"samples": self._wandb.Table(columns=list(Row._fields), data=[list(row) for row in rows])}, step=step
        )

    def alarm(self, alarm: Alarm) -> None:
        self._run.alert(title=f"{alarm.finding.signal} in {shorten(alarm.run)}", text=shorten(alarm.finding.detail))

    def close(self) -> None:
        self._run.finish()
