"""``trueward db export`` and ``trueward db import``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.keys.commands import DataDir

if TYPE_CHECKING:
    from app.transfer.manifest import Manifest

Folder = Annotated[Path, typer.Argument(help="The folder of the export.", show_default=False)]


def export(
    folder: Folder,
    with_keys: Annotated[
        bool, typer.Option("--with-keys", help="With what API keys are known by, so that they work there too.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Write everything that the database holds into a new folder; the service may go on."""
    from app.cli import settings_of
    from app.kit.terminal import explain_outages, redact_password
    from app.transfer.exporting import export_to

    url = settings_of(data_dir=data_dir).url
    with explain_outages(url):
        _tell(asyncio.run(export_to(url, folder, with_keys=with_keys)), f"exported from {redact_password(url)}")


def import_(folder: Folder, data_dir: DataDir = None) -> None:
    """Read an export into an empty database: all of it, or nothing."""
    from app.cli import settings_of
    from app.kit.terminal import explain_outages, redact_password
    from app.telemetry.logging import only_warnings
    from app.transfer.importing import import_from

    url = settings_of(data_dir=data_dir).url
    with only_warnings(), explain_outages(url):
        _tell(asyncio.run(import_from(url, folder)), f"imported into {redact_password(url)}")


def _tell(manifest: Manifest, word: str) -> None:
    rows = sum(file.rows for file in manifest.tables.values())
    typer.echo(f"{rows} rows of {len(manifest.tables)} tables {word}, schema {manifest.revision}")
