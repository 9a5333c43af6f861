"""A value made to fit a JSON Schema, as far as that changes nothing of what it says.

Names and labels are compared without case, numbers may stand in quotes, what the form does not have is left out, and
what has a ``default`` in the form may lack: the rationale, of which no score is made. Nothing is rounded, no label is
taken for another, and a member that is needed is never made up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

Schema = Mapping[str, JsonValue]
_NUMBER = re.compile(r"[-+]?[0-9]{1,40}(?:\.[0-9]{1,40})?")
_SHARE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?(?:/|out of) ?([0-9]{1,9})")
_AROUND = " \t\r\n*_`'\"“”.!"
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_LAST = frozenset({"final", "overall", "total", "revised", "corrected", "adjusted", "actual", "true", "new"})
"""Words for a value that another one is given up for."""


@dataclass(slots=True)
class Fitting:
    """``clash``: an object says a name twice, or says the same thing twice in different ways."""

    clash: bool = False

    def fit(self, value: JsonValue, schema: Schema) -> JsonValue:
        """What does not fit stays as it is: the schema refuses it."""
        if isinstance(value, dict) and "properties" in schema:
            return self._object(value, schema)
        if isinstance(value, dict) and isinstance(more := schema.get("additionalProperties"), dict):
            return {name: self.fit(one, more) for name, one in value.items()}
        if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
            return [self.fit(one, items) for one in value]
        return scalar(value, schema)

    def _object(self, value: Mapping[str, JsonValue], schema: Schema) -> dict[str, JsonValue]:
        known = properties(schema)
        names = {folded(name): name for name in known}
        found: dict[str, JsonValue] = {}
        extra: dict[str, JsonValue] = {}
        for said, one in value.items():
            name = said if said in known else names.get(folded(said))
            if name is None:
                extra[said] = one
            elif name in found:
                self.clash = True
            else:
                found[name] = self._member(one, known[name])
        for name, own in known.items():
            if "default" in own and name not in found:
                found[name] = own["default"]
        if extra and schema.get("additionalProperties") is False:
            self.clash = self.clash or any(_clashes(found, known, *one) for one in extra.items())
            return found
        return {**found, **extra}

    def _member(self, value: JsonValue, schema: Schema) -> JsonValue:
        """Of a rationale any form will do."""
        fit = self.fit(value, schema)
        if "default" not in schema:
            return fit
        if schema.get("type") == "string" and not isinstance(fit, str):
            return "" if fit is None else json.dumps(fit, ensure_ascii=False)
        if schema.get("type") == "array" and not isinstance(fit, list):
            return schema["default"]
        return fit


def scalar(value: JsonValue, schema: Schema) -> JsonValue:
    """A label, number or truth value as the schema writes it."""
    if not isinstance(value, str):
        return value
    labels = schema.get("enum")
    if isinstance(labels, list):
        return _label(value, labels)
    kind = schema.get("type")
    if kind == "boolean":
        return _BOOLEANS.get(value.strip(_AROUND).casefold(), value)
    if kind in ("number", "integer"):
        return _number(value.strip(_AROUND + "+"), schema)
    return value


def properties(schema: Schema) -> dict[str, dict[str, JsonValue]]:
    found = schema.get("properties")
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def decided(value: JsonValue, schema: Schema) -> JsonValue:
    """The part of a value that scores are made of: all but the rationale."""
    if isinstance(value, dict):
        known = properties(schema)
        return {
            name: decided(one, known.get(name, {}))
            for name, one in value.items()
            if "default" not in known.get(name, {})
        }
    items = schema.get("items")
    if isinstance(value, list) and isinstance(items, dict):
        return [decided(one, items) for one in value]
    return value


def decisive(schema: Schema) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """The labels and numbers of an object's own members, by name."""
    for name, one in properties(schema).items():
        if "default" not in one and ("enum" in one or one.get("type") in ("number", "integer", "boolean")):
            yield name, one


def bare(schema: JsonValue) -> JsonValue:
    """The same without ``default``, for servers: those that make a model keep to a form refuse it."""
    if isinstance(schema, list):
        return [bare(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: {member: bare(own) for member, own in one.items()}
        if name == "properties" and isinstance(one, dict)
        else bare(one)
        for name, one in schema.items()
        if name != "default"
    }


def needed(schema: Schema) -> dict[str, JsonValue]:
    """The form of the part that :func:`decided` gives."""
    found: dict[str, JsonValue] = dict(schema)
    if "properties" in schema:
        kept = {name: own for name, own in properties(schema).items() if "default" not in own}
        found["properties"] = {name: needed(own) for name, own in kept.items()}
        required = schema.get("required")
        found["required"] = [name for name in required if name in kept] if isinstance(required, list) else []
    if isinstance(items := schema.get("items"), dict):
        found["items"] = needed(items)
    return found


def folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip(_AROUND)).casefold()


def _label(said: str, labels: list[JsonValue]) -> JsonValue:
    """Equal but for case, the marks around, and what parts its words; to one label alone."""
    if said in labels:
        return said
    if _NUMBER.fullmatch(said.strip()) and (number := float(said)) in labels:
        return labels[labels.index(number)]
    found = [one for one in labels if isinstance(one, str) and folded(one) == folded(said)]
    return found[0] if len(found) == 1 else said


def _number(said: str, schema: Schema) -> JsonValue:
    """A number, also as ``7/10`` where 10 is the most that the schema allows."""
    share = _SHARE.fullmatch(said)
    if share is not None and float(share[2]) == schema.get("maximum"):
        said = share[1]
    if _NUMBER.fullmatch(said) is None:
        return said
    return float(said) if "." in said else int(said)


def _clashes(found: Mapping[str, JsonValue], known: Mapping[str, Schema], extra: str, value: JsonValue) -> bool:
    """Whether a member that the form does not have takes back one that it has."""
    words = folded(extra).split("_")
    for name, own in known.items():
        if "default" in own or name not in found:
            continue
        said = scalar(value, own)
        labels = own.get("enum")
        if isinstance(labels, list):
            if said in labels and said != found[name]:
                return True
        elif own.get("type") in ("number", "integer", "boolean") and _LAST & set(words) and name in words:
            return said != found[name]
    return False
