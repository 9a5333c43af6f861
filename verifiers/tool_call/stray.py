"""Calls in a text that is not one: JSON objects with a name and arguments, wherever they stand.

What a response calls must not depend on who reads it, so a call among other brackets, or beside those in tags, is one
that some reader would make. Bounded: a text that takes more than :data:`MOST_WORK` characters of reading is refused.
"""

from __future__ import annotations

import json
import re

from verifiers.tool_call.call import ARGUMENTS, NAMES, MalformedCall

MOST_WORK = 1_000_000
"""Characters that are read, those read again included."""

_OBJECT = re.compile(r'\{(?=\s*")')
_TOO_DEEP = 10_000
_FAILURE = 100
"""What a failure costs beside the characters that were read."""
_DECODER = json.JSONDecoder()


def stray(text: str) -> list[object]:
    """The objects that are written as calls, outermost first. Raises :class:`MalformedCall` beyond the bound."""
    found: list[object] = []
    if not any(f'"{key}"' in text for key in ARGUMENTS):
        return found
    at, left = 0, MOST_WORK
    while (start := _OBJECT.search(text, at)) is not None:
        try:
            value, at = _DECODER.raw_decode(text, start.start())
            found += _calls(value)
        except json.JSONDecodeError as failure:
            at = start.end()
            left -= failure.pos - start.start() + _FAILURE
        except (ValueError, RecursionError):  # too many digits, too deep
            at = start.end()
            left -= _TOO_DEEP
        if left < 0:
            raise MalformedCall("more broken JSON than is read")
    return found


def _calls(value: object) -> list[object]:
    found: list[object] = []
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, dict) and _is_named(one) and not one.keys().isdisjoint(ARGUMENTS):
            found.append(one)
        elif isinstance(one, dict | list):
            left += one.values() if isinstance(one, dict) else one
    return found


def _is_named(value: dict[object, object]) -> bool:
    return any(isinstance(value.get(key), str) for key in NAMES)
