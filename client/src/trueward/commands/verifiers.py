"""``trueward verifiers``: the catalogue, of a service or of this installation."""

from __future__ import annotations

from typing import Annotated

import typer

from trueward.commands.report import add_row, new_table, show, show_json
from trueward.commands.server import load_server
from trueward.commands.service import AsJson, Url, connect
from trueward.errors import NotFound
from trueward.wire.verifier import VerifierInfo

app = typer.Typer(help="List and show verifiers.", no_args_is_help=True)


@app.command("list")
def list_verifiers(url: Url = None, as_json: AsJson = False) -> None:
    """Every verifier at hand."""
    catalogue = _catalogue(url)
    if as_json:
        show_json([info.model_dump(mode="json") for info in catalogue])
        return
    table = new_table("verifier", "version", "lane", "needs", "what it judges")
    for info in catalogue:
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
    catalogue = _catalogue(url)
    for info in catalogue:
        if info.name == name:
            return info
    raise NotFound(f"there is no verifier {name!r}; known: {', '.join(info.name for info in catalogue)}")


def _catalogue(url: str | None) -> list[VerifierInfo]:
    if url is None:
        return [VerifierInfo.model_validate(entry) for entry in load_server().list_verifiers()]
    with connect(url) as client:
        return client.verifiers()
