"""What a sink is: numbers of a step, a few samples of it, alarms, and an end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from pydantic import JsonValue

from trueward.errors import NotInstalled
from trueward.wire.watch import Alarm


class Row(NamedTuple):
    """A sample to look at. Its texts are cut, and hold no character that a terminal or a page would obey."""

    record: str
    outcome: str
    reward: float | None
    reason_code: str
    reason: str
    prompt: str
    response: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a sink writes: ``run`` by name, ``target`` as the user wrote it behind the sink's name, ``folder`` for
    files where the target names none; ``config`` is what the run is made of."""

    run: str
    target: str = ""
    folder: Path = Path()
    config: Mapping[str, JsonValue] = field(default_factory=dict)


class Sink(Protocol):
    """Made from a :class:`Place`. Steps come in order, each once."""

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        """The numbers of a step; their names hold letters, digits, ``_``, ``-``, ``.`` and ``/``."""
        ...

    def table(self, step: int, rows: Sequence[Row]) -> None: ...

    def alarm(self, alarm: Alarm) -> None: ...

    def close(self) -> None:
        """Whatever waits is written."""
        ...


def import_optional(module: str, sink: str) -> Any:
    """An optional package, imported now. Raises :class:`NotInstalled`."""
    try:
        return import_module(module)
    except ImportError as missing:
        raise NotInstalled(f"the sink {sink!r} needs its package: pip install 'trueward[{sink}]'") from missing
