"""Where models and weights may lie on this machine: below the roots of the settings, symbolic links resolved.

A caller names directories and files that exist; where an upload goes is never the caller's to say.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

from app.kit.addresses import is_closed, parse_address
from app.settings import Settings
from trueward.errors import InvalidRequest

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def refusal(field: str, code: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, code, detail, message=f"{field}: {detail}")


def refuse_unusable_url(url: str) -> None:
    """Raises :class:`InvalidRequest`. Whoever may list the models could read what a URL has of a password, and what a
    refusing server says. Not covered: what a name stands for, which is the administrator's and the network's business.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise refusal("url", "unusable_url", f"{url[:300]!r} is no URL of a server: http:// or https:// and a host")
    address = parse_address(parts.hostname or "")
    if address is not None and is_closed(address):
        raise refusal("url", "closed_address", f"{address} is a link-local, metadata, multicast or unspecified address")
    if "@" in parts.netloc:
        raise refusal("url", "secret_in_url", "a user or a password in it would be shown to whoever lists the models")


class Places:
    def __init__(self, settings: Settings) -> None:
        self._roots = [root.resolve() for root in settings.model_roots]
        self._anywhere = not settings.model_roots and not settings.needs_keys
        self._uploads = settings.data_dir.resolve() / "models"

    def uploads(self, name: str) -> Path:
        """The directory of what was uploaded for a model; its name is one path segment."""
        return self._uploads / name

    def model(self, path: str) -> str:
        """A directory's true path, or the name of a repository as it is. Raises :class:`InvalidRequest`."""
        try:
            repository = _REPOSITORY.fullmatch(path) is not None and not Path(path).exists()
        except OSError:
            repository = False
        return path if repository else str(self.resolve(path))

    def resolve(self, path: str) -> Path:
        """The true path of what lies there. Raises :class:`InvalidRequest` naming ``path``."""
        try:
            found = Path(path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError) as missing:
            raise refusal(
                "path", "no_such_path", f"nothing that this service can read lies at {path[:300]!r}"
            ) from missing
        if self._anywhere or any(found.is_relative_to(root) for root in self._roots):
            return found
        where = ", ".join(map(str, self._roots)) or "nowhere, for it is empty and this service asks for keys"
        raise refusal("path", "outside_roots", f"{path[:300]!r} is outside of TRUEWARD_MODEL_ROOTS ({where})")
