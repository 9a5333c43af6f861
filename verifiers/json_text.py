"""JSON as RFC 8259 has it, read with bounds: no NaN, no duplicate names, no number beyond a double, no great depth.

Linear in the text's length. Equality is that of values: the order of names is free, ``1`` is ``1.0`` and not ``true``.
"""

from __future__ import annotations

import json
import math
import re
from typing import NoReturn

from pydantic import JsonValue

DEEPEST = 64
"""Arrays and objects that may stand in each other."""

_DIGITS = 309
_STEP = re.compile(r'"(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)


class NotJson(ValueError):
    """Why a text is not a JSON document: a stable code beside the words."""

    def __init__(self, reason_code: str, reason: str) -> None:
        super().__init__(reason)
        self.reason_code = reason_code


def parse(text: str) -> JsonValue:
    """The document. Raises :class:`NotJson`."""
    text = text.removeprefix("\ufeff")
    _bound_depth(text)
    try:
        found: JsonValue = json.loads(
            text, parse_int=_integer, parse_float=_real, parse_constant=_constant, object_pairs_hook=_object
        )
    except json.JSONDecodeError as failure:
        raise NotJson("not_json", f"not a JSON document: {failure}") from failure
    return found


def difference(given: JsonValue, wanted: JsonValue, path: str = "$") -> str | None:
    """Where two documents first differ, as a JSONPath with a word on how; None where they are equal."""
    if isinstance(given, dict) and isinstance(wanted, dict):
        return _between_objects(given, wanted, path)
    if isinstance(given, list) and isinstance(wanted, list):
        if len(given) != len(wanted):
            return f"{path}: {len(given)} elements, not {len(wanted)}"
        parts = (difference(a, b, f"{path}[{i}]") for i, (a, b) in enumerate(zip(given, wanted, strict=True)))
        return next((found for found in parts if found is not None), None)
    same = isinstance(given, bool) == isinstance(wanted, bool) and given == wanted
    return None if same else f"{path}: another value"


def _between_objects(given: dict[str, JsonValue], wanted: dict[str, JsonValue], path: str) -> str | None:
    for name in wanted:
        if name not in given:
            return f"{path}: {name!r:.80} is missing"
    for name in given:
        if name not in wanted:
            return f"{path}: {name!r:.80} is extra"
    parts = (difference(value, wanted[name], f"{path}.{name}"[:200]) for name, value in given.items())
    return next((found for found in parts if found is not None), None)


def _bound_depth(text: str) -> None:
    depth = 0
    for step in _STEP.finditer(text):
        if step[0] in "[{":
            depth += 1
            if depth > DEEPEST:
                raise NotJson("too_deep", f"arrays and objects are nested more than {DEEPEST} deep")
        elif step[0] in "]}":
            depth -= 1


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < _DIGITS else _too_large()


def _real(text: str) -> float:
    found = float(text)
    return found if math.isfinite(found) else _too_large()


def _too_large() -> NoReturn:
    raise NotJson("number_too_large", "a number is beyond the range of a double")


def _constant(name: str) -> NoReturn:
    raise NotJson("not_json", f"not a JSON document: {name} is no number in JSON")


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotJson("duplicate_names", "an object has the same name twice")
    return found
