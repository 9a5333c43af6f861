"""The API key of another server: an environment variable of the service, which entries name and nobody shows."""

from __future__ import annotations

import os

from judges.base import ModelUnavailable
from trueward.models import ModelEntry


def key_of(entry: ModelEntry) -> str | None:
    """None where the entry names no secret. Raises :class:`judges.base.ModelUnavailable` where there is no such key."""
    if entry.secret is None:
        return None
    key = os.environ.get(entry.secret, "").strip()
    if not key:
        raise ModelUnavailable(f"{entry.name} needs an API key: the service's environment has no {entry.secret}")
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(f"{entry.secret} holds no API key: it has characters that no header takes")
    return key
