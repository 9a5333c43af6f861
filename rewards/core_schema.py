"""What a scalar of YAML means under the core schema of YAML 1.2: null, true, false, integers, floats, else text.

``yes``, ``on`` and ``1:59`` are text, ``010`` is ten, dates are text. A number has at most :data:`LONGEST` characters;
a plain scalar that is longer is text, so that no conversion costs more than its length. Not here: sequences, mappings,
binary, sets.
"""

from __future__ import annotations

import re

LONGEST = 100
"""Characters of a number; a float's shortest form has a quarter of them."""

PLAIN = "?"
"""The tag of a scalar without quotes and without a tag of its own."""

_CORE = "tag:yaml.org,2002:"
MAPPING, SEQUENCE = f"{_CORE}map", f"{_CORE}seq"
_TEXT, _NULL, _BOOLEAN, _INTEGER, _FLOAT = (f"{_CORE}{name}" for name in ("str", "null", "bool", "int", "float"))
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"(?P<infinite>[-+]?\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN)")


class NotInSchema(ValueError):
    """A tag that is none of the schema's, or whose text is not of its kind."""


def value(tag: str, text: str) -> object:
    """What a scalar says; ``tag`` is its own, or :data:`PLAIN`. Raises :class:`NotInSchema`."""
    if tag == _TEXT:
        return text
    for kind in (_NULL, _BOOLEAN, _INTEGER, _FLOAT) if tag == PLAIN else (tag,):
        found = _of_kind(kind, text)
        if found is not _NOTHING:
            return found
    if tag == PLAIN:
        return text
    if tag in (_NULL, _BOOLEAN, _INTEGER, _FLOAT):
        raise NotInSchema(f"{text[:40]!r} is not what the tag {tag} stands for (a number has {LONGEST} characters)")
    raise NotInSchema(f"there is no constructor for the tag {tag[:100]} here")


_NOTHING = object()


def _of_kind(kind: str, text: str) -> object:
    """The value, or :data:`_NOTHING` where the text is of another kind."""
    if len(text) > LONGEST:
        return _NOTHING
    if kind == _NULL and text in _NULLS:
        return None
    if kind == _BOOLEAN:
        return _BOOLEANS.get(text, _NOTHING)
    if kind == _INTEGER:
        return _integer(text)
    return _float(text) if kind == _FLOAT else _NOTHING


def _integer(text: str) -> object:
    if _DECIMAL.fullmatch(text):
        return int(text)
    return int(text[2:], 8 if text[1] == "o" else 16) if _BASED.fullmatch(text) else _NOTHING


def _float(text: str) -> object:
    if _NUMBER.fullmatch(text):
        return float(text)
    unbounded = _NOT_FINITE.fullmatch(text)
    if unbounded is None:
        return _NOTHING
    return float(text.replace(".", "")) if unbounded["infinite"] else float("nan")
