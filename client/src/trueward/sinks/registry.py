"""The sinks that there are: built-in ones and plug-ins of the entry-point group ``trueward.sinks``, by name.

Built-ins are entry points like any plug-in's, written out here; nothing is imported before it is opened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import cast

from pydantic import JsonValue

from trueward.errors import NotFound
from trueward.sinks.sink import Place, Sink

GROUP = "trueward.sinks"
BUILT_INS = (
    EntryPoint("mlflow", "trueward.sinks.mlflow:MlflowSink", GROUP),
    EntryPoint("opentelemetry", "trueward.sinks.opentelemetry:OpenTelemetrySink", GROUP),
    EntryPoint("tensorboard", "trueward.sinks.tensorboard:TensorBoardSink", GROUP),
    EntryPoint("wandb", "trueward.sinks.wandb:WandbSink", GROUP),
)


def sink_names() -> list[str]:
    """Every name, sorted."""
    return sorted(_points())


def open_sink(spec: str, run: str, folder: Path, config: Mapping[str, JsonValue] | None = None) -> Sink:
    """The sink of ``NAME`` or ``NAME:TARGET``, opened.

    Raises :class:`NotFound` for a name that is none, :class:`~trueward.errors.NotInstalled` where its package lacks.
    """
    name, _, target = spec.partition(":")
    point = _points().get(name)
    if point is None:
        raise NotFound(f"there is no sink {name[:100]!r}; there are: {', '.join(sink_names())}")
    make = cast("Callable[[Place], Sink]", point.load())
    return make(Place(run, target, folder, config or {}))


def _points() -> dict[str, EntryPoint]:
    """By name; the name of a built-in one is its own."""
    return {point.name: point for point in (*entry_points(group=GROUP), *BUILT_INS)}
