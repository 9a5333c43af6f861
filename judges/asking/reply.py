"""A judge's reply as JSON of a stated form, or none at all: what is outside of the form is never a verdict.

Servers that can are made to keep to the form; the others write around it, and make slips. So the objects that stand in
a reply are read leniently (:mod:`judges.asking.lenient`) and made to fit the form where that changes nothing of what
they say (:mod:`judges.asking.schema_fit`). The decision is held to more: the labels and numbers that a score is made of
must be there, in a complete object, and whatever else the reply says must not decide otherwise
(:mod:`judges.asking.around`). So a text that a response wrote and a judge repeats decides nothing against the judge.
Without an object, a reply is read that is a label and nothing else (:mod:`judges.asking.bare`). Thinking before the
reply is left out. Linear in the reply's length.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import JsonValue

from judges.asking.around import contradicts, is_balanced, is_spoken_of
from judges.asking.bare import bare
from judges.asking.lenient import Found, standing, whole
from judges.asking.schema_fit import (
    Fitting,
    Schema,
    decisive,
    fold_name,
    properties,
    split_condition,
    strip_rationale,
    strip_schema,
)

if TYPE_CHECKING:
    import jsonschema

LONGEST = 200_000
_NESTED = 4
"""So deep an object of the form may stand in others: servers wrap replies as calls of tools, OpenAI's by four."""
_MOST_NESTED = 64
_ARGUMENTS = frozenset({"arguments", "parameters", "input"})
"""Members of a tool's call that may be a text of JSON."""
_PARTING = re.compile(r"[\s,;]*")
_UNESCAPED = re.compile(r'(?<!\\)(?:\\\\)*"')
_MEMBER = re.compile(r"[\"'”’]\s*[:：]")


class Unreadable(Exception):
    """The reply is not of the form; the words are ours, and never the reply's."""


class Form:
    """A JSON Schema (draft 2020-12) of objects. A member with a ``default`` may lack: it is rationale, not decision.

    ``text`` is what servers, and the engine, hold a model to; it may say more than the schema that replies are read by.
    """

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        self.schema = dict(schema)
        self.text = json.dumps(split_condition(self.schema))

    def showing(self, schema: Mapping[str, JsonValue]) -> Form:
        """The same, read as it is, with another schema to hold a model to."""
        shown = copy.copy(self)
        shown.text = json.dumps(schema)
        return shown

    @property
    def decision(self) -> str:
        """As ``text``, without the rationale."""
        return json.dumps(strip_schema(json.loads(self.text)))

    @cached_property
    def _alternatives(self) -> list[Schema]:
        """The forms of which one will do."""
        several = self.schema.get("anyOf")
        return [one for one in several if isinstance(one, dict)] if isinstance(several, list) else [self.schema]

    @cached_property
    def _validators(self) -> list[jsonschema.Draft202012Validator]:
        import jsonschema

        jsonschema.Draft202012Validator.check_schema(self.schema)
        return [jsonschema.Draft202012Validator(strip_schema(one)) for one in self._alternatives]

    def read(self, reply: str) -> dict[str, JsonValue]:
        """Raises :class:`Unreadable`."""
        if len(reply) > LONGEST:
            raise Unreadable("it is too long")
        text = strip_thinking(reply)
        if text is None:
            raise Unreadable("its thinking does not end")
        if not text.strip():
            raise Unreadable("it is thinking and nothing else" if reply.strip() else "it is empty")
        alone = whole(text)
        if alone is not None:
            return self._one([Found(alone, 0, len(text))])
        there = standing(text)
        if there.broken:
            raise Unreadable("an object in it cannot be read as JSON")
        if not there.objects and (said := self._bare(text)) is not None:
            return said
        objects = self._rows(text, there.objects) or there.objects
        value = self._one(objects)
        self._uncontradicted(value, text, objects)
        return value

    def fits(self, value: Mapping[str, JsonValue]) -> bool:
        """Whether an object is of the form, or one within it is."""
        try:
            return bool(self._of(dict(value)))
        except Unreadable:
            return True

    def _bare(self, text: str) -> dict[str, JsonValue] | None:
        """What a reply without an object says, with the rationale that it lacks."""
        said = bare(text, self.schema) if len(self._alternatives) == 1 else None
        found = self._of(said) if said is not None else []
        return found[0] if found else None

    def _rows(self, text: str, objects: list[Found]) -> list[Found]:
        """The object of a form that has rows and nothing else, of which the rows alone stand there; else none."""
        names = list(properties(self.schema))
        if len(names) != 1 or not objects or any(self._of(one.value) for one in objects):
            return []
        rows: dict[str, JsonValue] = {names[0]: [one.value for one in objects]}
        if not self._of(rows) or not all(map(_PARTING.fullmatch, _between(text, objects))):
            return []
        guessed = any(one.guessed for one in objects)
        return [Found(rows, objects[0].start, objects[-1].end, guessed, "\n".join(one.comments for one in objects))]

    def _one(self, objects: list[Found]) -> dict[str, JsonValue]:
        """What the objects of the form say, the last of those that say the same."""
        read = [(one, self._of(one.value)) for one in objects]
        values = [value for _, found in read for value in found]
        if not objects:
            raise Unreadable("it has no JSON object")
        if not values:
            raise Unreadable(f"its JSON object is not of the form: {self._breach(objects[-1].value)}")
        decisions = [self._decided(value) for value in values]
        undecided = any(not found and self._decides(one.value) for one, found in read)
        if undecided or any(one != decisions[0] for one in decisions):
            raise Unreadable("it decides more than once, and not the same")
        return values[-1]

    def _of(self, value: JsonValue, depth: int = 0) -> list[dict[str, JsonValue]]:
        """The value in the form, or what is in the form within it. Raises :class:`Unreadable` where it clashes."""
        found: list[dict[str, JsonValue]] = []
        for schema, validator in zip(self._alternatives, self._validators, strict=True):
            fitting = Fitting()
            fit = fitting.fit(value, schema)
            if isinstance(fit, dict) and validator.is_valid(strip_rationale(fit, schema)):
                if fitting.clash or self._is_two(value, schema):
                    raise Unreadable("it decides more than once, and not the same")
                found.append(fit)
        return [*self._within(value, depth, of_the_form=bool(found)), *found]

    def _within(self, value: JsonValue, depth: int, *, of_the_form: bool) -> list[dict[str, JsonValue]]:
        """What is in the form in the members of a value: of one in the form, those that the form does not have."""
        if depth == _NESTED or not isinstance(value, dict | list) or len(value) > _MOST_NESTED:
            return []
        if isinstance(value, list):
            return [one for member in value for one in self._of(member, depth + 1)]
        known = {fold_name(name) for schema in self._alternatives for name in properties(schema) if of_the_form}
        members = [_called(name, member) for name, member in value.items() if fold_name(name) not in known]
        return [one for member in members for one in self._of(member, depth + 1)]

    def _is_two(self, value: JsonValue, schema: Schema) -> bool:
        """Whether an object of one form has a label or number of another one, too."""
        others = {fold_name(name) for one in self._alternatives for name, _ in decisive(one)}
        others -= {fold_name(name) for name in properties(schema)}
        return isinstance(value, dict) and not others.isdisjoint(map(fold_name, value))

    def _decided(self, value: JsonValue) -> list[JsonValue]:
        return [strip_rationale(value, schema) for schema in self._alternatives]

    def _decides(self, value: Mapping[str, JsonValue]) -> bool:
        """Whether an object outside of the form has a decision of its own, and not just the form as it was shown."""
        for schema in self._alternatives:
            for name, own in decisive(schema):
                said = value.get(name)
                if isinstance(said, bool | int | float) or (isinstance(said, str) and not _is_shown(said, own)):
                    return True
        return False

    def _uncontradicted(self, value: Mapping[str, JsonValue], text: str, objects: list[Found]) -> None:
        """Raises :class:`Unreadable` where the text around the objects, or within one of which the ends of texts were
        guessed, may say otherwise."""
        if not is_balanced(text, objects):
            raise Unreadable("braces around its JSON object do not match")
        for schema in self._alternatives:
            for name, own in decisive(schema):
                if name in value and contradicts(text, objects, name, own, value[name]):
                    raise Unreadable("the text around its JSON object decides otherwise")
        if any(is_spoken_of(text, one) and self._of(one.value) for one in objects):
            raise Unreadable("its JSON object is part of a sentence about it")
        for one in objects:
            written = text[one.start : one.end]
            named = any(_written(written, name) > _had(one.value, name) for name in self._names)
            if one.guessed and (named or _holds_a_member(one.value) or self._is_more(one, objects)):
                raise Unreadable("a text in its JSON object does not end clearly")

    def _is_more(self, one: Found, objects: list[Found]) -> bool:
        """Whether an object that decides has members that the form does not have, or others beside it."""
        known = {fold_name(name) for name in self._names}
        return bool(self._of(one.value)) and (len(objects) > 1 or not known.issuperset(map(fold_name, one.value)))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for schema in self._alternatives for name in _named(schema))

    def _breach(self, value: dict[str, JsonValue]) -> str:
        """What of the schema an object breaks, named by the schema alone."""
        from jsonschema.exceptions import best_match

        schema = self._alternatives[-1]
        error = best_match(self._validators[-1].iter_errors(strip_rationale(Fitting().fit(value, schema), schema)))
        if error.validator == "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{', '.join(missing)} missing"
        return "/".join(map(str, error.absolute_schema_path))


def _is_shown(said: str, own: Schema) -> bool:
    """``correct or incorrect``, ``...``, ``<0 to 10>``: the form as a prompt shows it."""
    labels = own.get("enum")
    named = [one for one in labels if isinstance(one, str) and one in said] if isinstance(labels, list) else []
    return len(set(named)) > 1 or not said.strip(". …") or said.strip()[:1] in ("<", "[", "{")


def strip_thinking(reply: str) -> str | None:
    """What a reply says behind its thinking, out of a text of JSON where it is one; None where its thinking goes on."""
    from verifiers.extract.thinking import answer_start

    start = answer_start(reply, opened=False)
    return None if start is None else _unwrapped(reply[start:])


def _unwrapped(text: str) -> str:
    """The reply in a text of JSON, with quotes around or without."""
    text = text.strip()
    inner = text[1:-1] if len(text) > 2 and text[0] == text[-1] == '"' else text
    if '\\"' not in inner or _UNESCAPED.search(inner) is not None:
        return text
    try:
        found = json.loads(f'"{inner}"', strict=False)
    except ValueError:
        return text
    assert isinstance(found, str), "quotes stand around it"
    return found


def _called(name: str, member: JsonValue) -> JsonValue:
    """The arguments of a call, which may be a text of JSON."""
    if not isinstance(member, str) or fold_name(name) not in _ARGUMENTS:
        return member
    found = whole(member)
    return member if found is None else found


def _between(text: str, objects: list[Found]) -> Iterator[str]:
    for one, following in pairwise(objects):
        yield text[one.end : following.start]


def _named(schema: Schema) -> Iterator[str]:
    """The members of a form, at any depth."""
    for name, own in properties(schema).items():
        yield name
        items = own.get("items")
        yield from _named(items if isinstance(items, dict) else own)


def _had(value: JsonValue, name: str) -> int:
    """How often a value has a member of that name."""
    if isinstance(value, dict):
        return sum((fold_name(said) == fold_name(name)) + _had(one, name) for said, one in value.items())
    return sum(_had(one, name) for one in value) if isinstance(value, list) else 0


def _holds_a_member(value: JsonValue) -> bool:
    """Whether a text in the value has what may be an object's member."""
    if isinstance(value, str):
        return _MEMBER.search(value) is not None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_holds_a_member, parts))


def _written(text: str, name: str) -> int:
    """How often a name stands in a text as a member's does."""
    return len(re.findall(rf"(?<![^\W_]){re.escape(name)}[\"'”’]?\s*:", text, re.IGNORECASE))
