"""What values of JSON take in memory, about: what is worth knowing of them before many are kept."""

from __future__ import annotations

from pydantic import JsonValue

_TEXT, _NUMBER, _CONTAINER, _PLACE = 56, 32, 64, 16


def held_bytes(value: JsonValue) -> int:
    """Of a text with four bytes a character where it is not ASCII alone, and no part counted twice."""
    if isinstance(value, str):
        return _TEXT + len(value) * (1 if value.isascii() else 4)
    if isinstance(value, list):
        return _CONTAINER + sum(_PLACE + held_bytes(item) for item in value)
    if isinstance(value, dict):
        return _CONTAINER + sum(_PLACE + held_bytes(name) + held_bytes(item) for name, item in value.items())
    return _NUMBER
