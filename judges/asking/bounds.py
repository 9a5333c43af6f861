"""How long the texts of a reply may be, so that all of it has room in the tokens that it may have.

A small model that nobody tells where a text ends repeats itself until its tokens are spent, and the decision behind the
text is never said. So some tokens are kept for what stands beside the texts. The engine counts the others as it writes;
a server is shown so many characters: a token has one at least, but for signs that take several tokens each. Beside the
texts, where names and labels have several characters a token, that leaves room for white space.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pydantic import JsonValue

_KEPT = 4
"""Of the tokens one in so many is kept for what stands beside the texts, and more where that is more."""
_ROWS = 8
"""Of a list that does not say how long it may be."""
_NUMBER = 4
_NO_TEXT = frozenset({"enum", "const", "pattern", "format", "maxLength"})

Schema = dict[str, JsonValue]


def text_tokens(schema: JsonValue, max_tokens: int) -> int:
    """How many of the tokens the free texts of a form may have together."""
    return max(0, max_tokens - max(max_tokens // _KEPT, _beside(schema)))


def bounded(schema: JsonValue, max_tokens: int) -> JsonValue:
    """The same with as many characters for each free text as there are tokens for it, and with the rows alone where
    each row of a list is known (``prefixItems``)."""
    return _bounded(schema, text_tokens(schema, max_tokens)) if isinstance(schema, dict) else schema


def unbounded(schema: JsonValue) -> JsonValue:
    """The same for servers that refuse ``prefixItems``: any row."""
    if isinstance(schema, list):
        return [unbounded(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {name: unbounded(one) for name, one in schema.items() if name != "prefixItems"}


def is_free_text(schema: JsonValue) -> bool:
    kinds = schema.get("type") if isinstance(schema, dict) else None
    is_text = kinds == "string" or (isinstance(kinds, list) and "string" in kinds)
    return isinstance(schema, dict) and is_text and not schema.keys() & _NO_TEXT


def _bounded(schema: Schema, room: int) -> Schema:
    if is_free_text(schema):
        return schema | {"maxLength": room}
    found = dict(schema)
    for name in ("anyOf", "oneOf"):
        if name in schema:
            found[name] = [_bounded(one, room) for one in _schemas(schema[name])]
    members = _members(schema)
    if members:
        texts = sum(map(_has_text, members.values()))
        found["properties"] = {name: _bounded(one, room // max(texts, 1)) for name, one in members.items()}
    rows = _schemas(schema.get("prefixItems"))
    if rows:
        found["prefixItems"] = [_bounded(one, room // len(rows)) for one in rows]
        found.pop("items", None)
    elif isinstance(items := schema.get("items"), dict):
        found["items"] = _bounded(items, room // _length(schema))
    return found


def _has_text(schema: JsonValue) -> bool:
    if isinstance(schema, list):
        return any(map(_has_text, schema))
    if not isinstance(schema, dict):
        return False
    inner = [*_members(schema).values(), *(schema.get(name) for name in ("anyOf", "oneOf", "prefixItems", "items"))]
    return is_free_text(schema) or any(map(_has_text, inner))


def _beside(schema: JsonValue) -> int:
    """Characters of a reply whose texts are empty, at most: of numbers and of open lists what is usual."""
    if not isinstance(schema, dict):
        return 0
    if "const" in schema:
        return len(json.dumps(schema["const"]))
    if isinstance(labels := schema.get("enum"), list):
        return max((len(json.dumps(one)) for one in labels), default=0)
    several = _schemas(schema.get("anyOf")) or _schemas(schema.get("oneOf"))
    own = sum(len(json.dumps(name)) + 4 + _beside(one) for name, one in _members(schema).items())
    rows = _schemas(schema.get("prefixItems"))
    own += sum(map(_beside, rows)) if rows else _length(schema) * _beside(schema.get("items"))
    return max(map(_beside, several), default=0) + own + _NUMBER


def _length(schema: Mapping[str, JsonValue]) -> int:
    most = schema.get("maxItems")
    return max(1, most) if isinstance(most, int) else _ROWS


def _members(schema: Mapping[str, JsonValue]) -> dict[str, Schema]:
    found = schema.get("properties")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _schemas(value: JsonValue) -> list[Schema]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
