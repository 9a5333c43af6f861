"""``trueward train``: reinforcement learning with rewards from a service, by the bundled trainer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from trueward.commands.params import read_params
from trueward.errors import NotInstalled
from trueward.rlvr.example import write_example

NEEDED = ("torch", "transformers")


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
    if example is not None:
        if config is not None or resume or change:
            raise typer.BadParameter("an example is written, not trained: leave CONFIG, --resume and --set out")
        typer.echo(f"trueward train {write_example(example, model, url)}")
        return
    if config is None:
        raise typer.BadParameter("name a configuration, or a folder for an example of one (--example FOLDER)")
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise NotInstalled(f"training needs {' and '.join(missing)}: pip install 'trueward[train]'")
    from transformers.utils import logging

    from trueward.rlvr import training
    from trueward.rlvr.config import load

    logging.disable_progress_bar()  # of every load and save: the lines of the steps are the progress
    training.train(load(config, read_params(change or [], "--set")), resume=resume)
