"""``trueward verifiers``: the catalogue, of a service or of this installation."""

from __future__ import annotations

from typing import Annotated

import typer

from trueward.client import calls
from trueward.commands.report import add_row, new_table, plain, show, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import NotFound
from trueward.wire.verifier import Catalogue, VerifierInfo

app = typer.Typer(help="List and show verifiers.", no_args_is_help=True)


@app.command("list")
def list_verifiers(url: Url = None, as_json: AsJson = False) -> None:
    """Every verifier at hand."""
    catalogue = _catalogue(url)
    for name, problem in catalogue.failures.items():
        typer.echo(plain(f"{name} cannot be loaded: {problem}"), err=True)
    if as_json:
        show_json([info.model_dump(mode="json") for info in catalogue.verifiers])
        return
    table = new_table("verifier", "version", "lane", "needs", "what it judges")
    for info in catalogue.verifiers:
        add_row(table, info.name, info.version, info.lane, ", ".join(info.needs), info.summary)
    show(table)


@app.command("show")
def show_verifier(
    name: Annotated[str, typer.Argument(help="Name of the verifier.", show_default=False)], url: Url = None
) -> None:
    """A verifier, with the JSON Schema of its parameters and examples, as JSON."""
    show_json(find_verifier(name, url).model_dump(mode="json"))


def find_verifier(name: str, url: str | None) -> VerifierInfo:
    """What is known of a verifier. Raises :class:`NotFound`."""
    known = _catalogue(url).verifiers
    for info in known:
        if info.name == name:
            return info
    raise NotFound(f"there is no verifier {name!r}; known: {', '.join(info.name for info in known)}")


def _catalogue(url: str | None) -> Catalogue:
    if url is None:
        return load_server().list_verifiers()
    with connect(url) as client:
        return client.call(calls.catalogue())
