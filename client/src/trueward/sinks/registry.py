"""The sinks that there are, by name: built-in ones, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pydantic import JsonValue

from trueward.errors import NotFound
from trueward.plugins import Kind, list_built_in, list_installed, no_function
from trueward.sinks.sink import Place, Sink

GROUP = "trueward.sinks"

SINKS: Kind[Callable[[Place], Sink]] = Kind(
    "sink",
    list_built_in(
        GROUP,
        {
            "mlflow": "trueward.sinks.mlflow:MlflowSink",
            "opentelemetry": "trueward.sinks.opentelemetry:OpenTelemetrySink",
            "tensorboard": "trueward.sinks.tensorboard:TensorBoardSink",
            "wandb": "trueward.sinks.wandb:WandbSink",
        },
    ),
    list_installed(GROUP),
    no_function,
    raises=NotFound,
)


def open_sink(spec: str, run: str, folder: Path, config: Mapping[str, JsonValue] | None = None) -> Sink:
    """The sink of ``NAME`` or ``NAME:TARGET``, opened.

    Raises :class:`NotFound` for a name that is none, :class:`~trueward.errors.NotInstalled` where its package lacks.
    """
    name, _, target = spec.partition(":")
    return SINKS.get(name)(Place(run, target, folder, config or {}))
