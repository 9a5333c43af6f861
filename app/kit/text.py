"""One rule for text that a stranger sent: lone surrogates and NUL become U+FFFD, one for one.

JSON, SQLite and PostgreSQL each refuse one of them; after this, what is verified, hashed, stored and
answered is the same text.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    return _UNSTORABLE.sub("\ufffd", text)


def storable_json(value: JsonValue) -> JsonValue:
    """The same value with every text in it storable."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_json(item) for item in value]
    if isinstance(value, dict):
        return {storable(name): storable_json(item) for name, item in value.items()}
    return value
