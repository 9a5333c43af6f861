"""What an export says of itself: ``manifest.json``, written last, beside one file of lines for each table."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

NAME = "manifest.json"


class ManifestFile(BaseModel):
    """``sha256`` is of the whole file ``<table>.ndjson``."""

    model_config = ConfigDict(frozen=True)

    rows: int
    sha256: str


class Manifest(BaseModel):
    """``tables`` are in an order in which none refers to a later one; ``with_keys``: API keys still work."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    trueward: str
    revision: str
    exported_at: datetime
    with_keys: bool
    tables: dict[str, ManifestFile]


def lines_of(folder: Path, table: str) -> Path:
    return folder / f"{table}.ndjson"
