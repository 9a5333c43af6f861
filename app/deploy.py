"""The command `trueward ray`: the lanes on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pydantic import JsonValue

ray = typer.Typer(no_args_is_help=True)

Address = Annotated[
    str | None, typer.Option(help="Of the cluster, as a node of it sees it; default: TRUEWARD_RAY_ADDRESS or auto.")
]
LaneFile = Annotated[Path | None, typer.Option("--config", help="lanes.yaml; default: what docs/ray.md shows.")]


@ray.command("up")
def up(
    address: Address = None,
    config: LaneFile = None,
    wait_s: Annotated[float, typer.Option(min=1, help="Seconds that the replicas may take to come up.")] = 600.0,
) -> None:
    """Deploy the lanes, or change those that are there; returns when all replicas run."""
    from app.lanes.ray import control

    arguments = _arguments(config)
    _exit_on_failure(lambda: control.up(_address(address), arguments, wait_s, typer.echo))


@ray.command("status")
def status(address: Address = None) -> None:
    """Show the lanes and what their replicas are doing."""
    from app.lanes.ray import control

    _exit_on_failure(lambda: typer.echo(control.status(_address(address))))


@ray.command("down")
def down(address: Address = None) -> None:
    """Take the lanes away."""
    from app.lanes.ray import control

    _exit_on_failure(lambda: control.down(_address(address)))


@ray.command("config")
def config(config: LaneFile = None) -> None:
    """Print the Serve config, for `serve deploy` or a RayService of KubeRay."""
    from app.lanes.ray import control

    typer.echo(control.config(_arguments(config)), nl=False)


@ray.callback()
def _needs_ray() -> None:
    from app.lanes.ray.link import INSTALL

    if find_spec("ray") is None:
        typer.echo(f"Ray is not installed here: {INSTALL}", err=True)
        raise typer.Exit(2)


def _address(given: str | None) -> str:
    from app.cli import settings_of

    return given or settings_of().ray_address or "auto"


def _arguments(path: Path | None) -> dict[str, JsonValue]:
    from app.cli import settings_of
    from app.lanes.ray.shape import BadShape, arguments, read

    try:
        return arguments(read(path), settings_of())
    except BadShape as refusal:
        raise typer.BadParameter(str(refusal), param_hint="--config") from refusal


def _exit_on_failure(act: Callable[[], None]) -> None:
    from app.lanes.ray.control import ControlFailed

    try:
        act()
    except ControlFailed as failure:
        typer.echo(str(failure), err=True)
        raise typer.Exit(1) from None
