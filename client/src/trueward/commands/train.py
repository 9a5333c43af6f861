"""``trueward train``: reinforcement learning with rewards from a service, by the bundled trainer."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from trueward.commands.params import read_params
from trueward.errors import NotInstalled

NEEDED = ("torch", "transformers")


def train(
    config: Annotated[Path, typer.Argument(help="YAML or JSON file.", show_default=False)],
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the newest checkpoint of its folder.")] = False,
    change: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change a field, such as update.lr=1e-5.")
    ] = None,
) -> None:
    """Train a language model with rewards from a service."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise NotInstalled(f"training needs {' and '.join(missing)}: pip install 'trueward[train]'")
    from transformers.utils import logging

    from trueward.rlvr import training
    from trueward.rlvr.config import load

    logging.disable_progress_bar()  # of every load and save: the lines of the steps are the progress
    training.train(load(config, read_params(change or [], "--set")), resume=resume)
