"""The secret that hashes API keys and signs sessions: the setting, else one that the service makes for itself.

The file appears whole or not at all, and once: of several programs that start at the same moment one makes it, and all
read that one. A file that is not whole is refused, for an empty secret is one that everybody knows.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

from app.kit.private import explain_refusals, make_folder
from app.settings import Settings
from trueward.errors import Unusable

_WHOLE = re.compile(rb"[0-9a-f]{64}")


def key_secret(settings: Settings) -> bytes:
    """Raises :class:`Unusable` where its file cannot be read or made, or is not whole."""
    if settings.secret is not None:
        return settings.secret.get_secret_value().encode()
    path = settings.data_dir / "secret"
    make_folder(settings.data_dir)
    with explain_refusals(path):
        if not path.exists():
            _make(path)
        found = path.read_bytes().strip()
    if not _WHOLE.fullmatch(found):
        raise Unusable(
            f"{path} is damaged ({len(found)} bytes where 64 hexadecimal digits belong): put it back from a backup, or "
            "set TRUEWARD_SECRET. Without it no API key is known again: remove the file only to make all of them anew"
        )
    return found


def _make(path: Path) -> None:
    """Readable by its owner alone; one that another program made meanwhile stays."""
    handle, name = tempfile.mkstemp(prefix=".secret-", dir=path.parent)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_hex(32))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)  # unlike a rename it replaces nothing
    finally:
        Path(name).unlink()
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
