"""``trueward train``: reinforcement learning with rewards from a service, by the bundled trainer."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Protocol, cast

import typer
from pydantic import JsonValue

from trueward.commands.params import read_params
from trueward.errors import NotInstalled


class TrainerCommand(Protocol):
    """``trueward_trainer.command``, which another distribution installs."""

    def write_example(self, folder: Path, model: str, url: str) -> Path: ...

    def train(self, config: Path, changes: Mapping[str, JsonValue], *, resume: bool) -> None: ...


def train(
    config: Annotated[Path | None, typer.Argument(help="YAML or JSON file.", show_default=False)] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint of its folder.")] = False,
    change: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a field, such as update.lr=1e-5.")
    ] = None,
    example: Annotated[
        Path | None,
        typer.Option("--example", metavar="FOLDER", help="Write an example's configuration and prompts there instead."),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="What the example trains: a directory or the name of a repository.")
    ] = "HuggingFaceTB/SmolLM2-135M-Instruct",
    url: Annotated[
        str, typer.Option("--url", envvar="TRUEWARD_URL", help="The service that the example asks.")
    ] = "http://127.0.0.1:8421",
) -> None:
    """Train a language model with rewards from a service."""
    if find_spec("trueward_trainer") is None:
        raise NotInstalled("the trainer is a package of its own: pip install 'trueward[train]'")
    trainer = cast(TrainerCommand, import_module("trueward_trainer.command"))
    if example is not None:
        if config is not None or resume or change:
            raise typer.BadParameter("an example is written, not trained: leave CONFIG, --resume and --set out")
        typer.echo(f"trueward train {trainer.write_example(example, model, url)}")
        return
    if config is None:
        raise typer.BadParameter("name a configuration, or a folder for an example of one (--example FOLDER)")
    trainer.train(config, read_params(change or [], "--set"), resume=resume)
