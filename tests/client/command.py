"""What tests of the command have in common: how it is run, and a file for it to read."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from typer.testing import Result

Run = Callable[..., Result]


def samples(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    """Writes them to a file, one a line; its path."""
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return str(path)
