"""Commands of the server, which ``app.cli`` carries out: serve, and db and keys with options of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from trueward.commands.server import load_server


def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="Port.", show_default="8421")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Directory of the SQLite file.", file_okay=False, show_default="data")
    ] = None,
) -> None:
    """Run the service. What is not given, and every other setting, comes from TRUEWARD_ variables."""
    load_server().serve(host, port, data_dir)


def pass_on(ctx: typer.Context) -> None:
    """Hands the whole rest of the line, ``--help`` included, to the server's command of the same name."""
    server = typer.Typer(name="trueward", no_args_is_help=True, add_completion=False)
    load_server().add_commands(server)
    assert ctx.info_name is not None
    server(args=[ctx.info_name, *ctx.args], prog_name="trueward")
