"""Text of strangers within JSON: lone surrogates and NUL become U+FFFD, one for one.

JSON, SQLite and PostgreSQL each refuse one of them; after this, what is verified, hashed, stored and
answered is the same text.
"""

from __future__ import annotations

from pydantic import JsonValue

from verifiers.legible import legible


def clean_json(value: JsonValue) -> JsonValue:
    """The same value with every text in it legible."""
    if isinstance(value, str):
        return legible(value)
    if isinstance(value, list):
        return [clean_json(item) for item in value]
    if isinstance(value, dict):
        return {legible(name): clean_json(item) for name, item in value.items()}
    return value
