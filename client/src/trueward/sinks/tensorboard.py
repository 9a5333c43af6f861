"""TensorBoard: event files in a folder of the run's below the target, else below ``tensorboard``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import token_hex

from trueward.sinks.names import file_name, shorten
from trueward.sinks.sink import Place, Row, import_optional
from trueward.wire.watch import Alarm


class TensorBoardSink:
    def __init__(self, place: Place) -> None:
        folder = Path(place.target) if place.target else place.folder / "tensorboard"
        # its files are named by the second: one that is opened again within it would be written over
        self._writer = import_optional("tensorboardX", "tensorboard").SummaryWriter(
            logdir=str(folder / file_name(place.run)), filename_suffix=f".{token_hex(4)}"
        )

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        for name, value in numbers.items():
            self._writer.add_scalar(name, value, step)
        self._writer.flush()

    def table(self, step: int, rows: Sequence[Row]) -> None:
        self._writer.add_text("samples", "\n\n".join(map(_block, rows)), step)

    def alarm(self, alarm: Alarm) -> None:
        step = alarm.finding.found_step or alarm.finding.last_step or 0
        self._writer.add_text("alarms", _code(f"{alarm.finding.signal}: {shorten(alarm.finding.detail)}"), step)
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


def _block(row: Row) -> str:
    return _code("\n".join(f"{name}: {value}" for name, value in row._asdict().items()))


def _code(text: str) -> str:
    """As it is: TensorBoard reads texts as Markdown, of which an indented line is code."""
    return "\n".join(f"    {line}" for line in text.splitlines())
