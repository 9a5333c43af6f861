"""``trueward trainers``: what to paste into a trainer's configuration to point it at a service."""

from __future__ import annotations

from typing import Annotated

import typer

from trueward.commands.report import add_row, new_table, show
from trueward.trainers import pasting, tried

app = typer.Typer(help="The lines that point a trainer at a service.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of the trainer.", show_default=False)]


@app.command("list")
def list_trainers() -> None:
    """Every trainer that there are lines for."""
    table = new_table("trainer", "how it asks")
    for lines in pasting.every():
        add_row(table, lines.name, lines.summary)
    show(table)


@app.command("tried")
def show_tried() -> None:
    """Which version of each was tried, and with what: the table of the documentation, as Markdown."""
    print(tried.table(), end="")


@app.command("show")
def show_trainer(
    name: Name,
    url: Annotated[str, typer.Option(envvar="TRUEWARD_URL", help="URL of the service.")] = "http://127.0.0.1:8421",
    recipe: Annotated[str, typer.Option(help="Name of the recipe, or name@hash.")] = "math",
    run: Annotated[str | None, typer.Option(help="Name of the training run in the service's ledger.")] = None,
    key: Annotated[str | None, typer.Option(help="Key of the service, where it asks for one.")] = None,
) -> None:
    """The lines for one trainer, filled in; nothing is asked of the service."""
    print(pasting.find(name).fill(url, recipe, run, key), end="")
