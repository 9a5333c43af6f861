"""What only the question knows of a reply's form: which rows a list has, and which names stand in it.

A small model that is told no number of rows writes rows until its tokens are spent, numbers them anew, or leaves some
out. Replies are read as before: whoever asks checks the rows, for not all servers hold a model to a form.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from judges.asking.reply import Form
from judges.asking.schema_fit import properties


def with_rows(form: Form, member: str, key: str, names: Sequence[JsonValue]) -> Form:
    """``member`` is a list of one row each, in this order, whose ``key`` is its name."""
    rows = properties(form.schema).get(member, {})
    items = rows.get("items")
    if not isinstance(items, dict) or key not in properties(items):
        return form
    exact: list[JsonValue] = [_with(items, {key: {"const": name}}) for name in names]
    count = {"minItems": len(names), "maxItems": len(names)}
    return form.showing(_with(form.schema, {member: {**rows, **count, "prefixItems": exact}}))


def with_names(form: Form, member: str, ranked: str, names: Sequence[str]) -> Form:
    """``member`` is an object that has something of each name, and ``ranked``, if it is there, a list of the names."""
    values = properties(form.schema).get(member, {}).get("additionalProperties")
    if not isinstance(values, dict):
        return form
    own: dict[str, dict[str, JsonValue]] = {
        member: {
            "type": "object",
            "properties": dict.fromkeys(names, values),
            "required": [*names],
            "additionalProperties": False,
        }
    }
    if ranked in properties(form.schema):
        label: dict[str, JsonValue] = {"enum": [*names]}
        own[ranked] = {"type": "array", "items": label, "minItems": len(names), "maxItems": len(names)}
    return form.showing(_with(form.schema, own))


def _with(schema: Mapping[str, JsonValue], members: Mapping[str, Mapping[str, JsonValue]]) -> dict[str, JsonValue]:
    return {**schema, "properties": {**properties(schema), **{name: dict(one) for name, one in members.items()}}}
