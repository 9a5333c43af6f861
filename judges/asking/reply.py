"""A judge's reply as JSON of a stated form, or none at all: what is outside of the form is never a verdict.

Servers that can are made to keep to the form; the others write around it, and make slips. So the objects that stand in
a reply are read leniently (:mod:`judges.asking.lenient`) and made to fit the form where that changes nothing of what
they say (:mod:`judges.asking.fitted`). The decision is held to more: the labels and numbers that a score is made of
must be there, in a complete object, and whatever else the reply says must not decide otherwise. So a text that a
response wrote and a judge repeats decides nothing against the judge. Thinking before the reply is left out. Linear in
the reply's length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import JsonValue

from judges.asking.fitted import Fitting, Schema, decided, decisive, folded, needed, properties, scalar
from judges.asking.lenient import Found, standing, whole

if TYPE_CHECKING:
    import jsonschema

LONGEST = 200_000
_NESTED = 3
"""So deep an object of the form may stand in others: servers wrap replies as calls of tools."""
_MOST_NESTED = 64
_MARKS = r"[\"'“”‘’*_`]*"
_MEMBER = re.compile(r"[\"'”’]\s*[:：]")
_VALUE = rf"{_MARKS}\s*(?:is|was|=|:|->)\s*{_MARKS}([A-Za-z0-9][\w.+-]*){_MARKS}(\s*(?:or\b|to\b|\||/|-|–)\s*)?"


class Unreadable(Exception):
    """The reply is not of the form; the words are ours, and never the reply's."""


class Form:
    """A JSON Schema (draft 2020-12) of objects. A member with a ``default`` may lack: it is rationale, not decision.

    ``text`` is what models are told.
    """

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        self.schema = dict(schema)
        self.text = json.dumps(self.schema)

    @cached_property
    def _alternatives(self) -> list[Schema]:
        """The forms of which one will do."""
        several = self.schema.get("anyOf")
        return [one for one in several if isinstance(one, dict)] if isinstance(several, list) else [self.schema]

    @cached_property
    def _validators(self) -> list[jsonschema.Draft202012Validator]:
        import jsonschema

        jsonschema.Draft202012Validator.check_schema(self.schema)
        return [jsonschema.Draft202012Validator(needed(one)) for one in self._alternatives]

    def read(self, reply: str) -> dict[str, JsonValue]:
        """Raises :class:`Unreadable`."""
        if len(reply) > LONGEST:
            raise Unreadable("it is too long")
        from verifiers.extract.thinking import answer_start

        start = answer_start(reply, opened=False)
        if start is None:
            raise Unreadable("its thinking does not end")
        text = reply[start:]
        alone = whole(text)
        if alone is not None:
            return self._one([Found(alone, 0, len(text))])
        there = standing(text)
        if there.broken:
            raise Unreadable("an object in it cannot be read as JSON")
        value = self._one(there.objects)
        self._uncontradicted(value, text, there.objects)
        return value

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
            if isinstance(fit, dict) and validator.is_valid(decided(fit, schema)):
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
        known = {folded(name) for schema in self._alternatives for name in properties(schema) if of_the_form}
        members = [member for name, member in value.items() if folded(name) not in known]
        return [one for member in members for one in self._of(member, depth + 1)]

    def _is_two(self, value: JsonValue, schema: Schema) -> bool:
        """Whether an object of one form has a label or number of another one, too."""
        others = {folded(name) for one in self._alternatives for name, _ in decisive(one)}
        others -= {folded(name) for name in properties(schema)}
        return isinstance(value, dict) and not others.isdisjoint(map(folded, value))

    def _decided(self, value: JsonValue) -> list[JsonValue]:
        return [decided(value, schema) for schema in self._alternatives]

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
        around = "\n".join(_around(text, objects))
        if not _is_balanced(around):
            raise Unreadable("braces around its JSON object do not match")
        for schema in self._alternatives:
            for name, own in decisive(schema):
                if name in value and any(said != value[name] for said in _mentions(around, name, own)):
                    raise Unreadable("the text around its JSON object decides otherwise")
        for one in objects:
            written = text[one.start : one.end]
            named = any(_written(written, name) > _had(one.value, name) for name in self._names)
            if one.guessed and (named or _holds_a_member(one.value) or self._is_more(one, objects)):
                raise Unreadable("a text in its JSON object does not end clearly")

    def _is_more(self, one: Found, objects: list[Found]) -> bool:
        """Whether an object that decides has members that the form does not have, or others beside it."""
        known = {folded(name) for name in self._names}
        return bool(self._of(one.value)) and (len(objects) > 1 or not known.issuperset(map(folded, one.value)))

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for schema in self._alternatives for name in _named(schema))

    def _breach(self, value: dict[str, JsonValue]) -> str:
        """What of the schema an object breaks, named by the schema alone."""
        from jsonschema.exceptions import best_match

        schema = self._alternatives[-1]
        error = best_match(self._validators[-1].iter_errors(decided(Fitting().fit(value, schema), schema)))
        if error.validator == "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return f"{', '.join(missing)} missing"
        return "/".join(map(str, error.absolute_schema_path))


def _is_shown(said: str, own: Schema) -> bool:
    """``correct or incorrect``, ``...``, ``<0 to 10>``: the form as a prompt shows it."""
    labels = own.get("enum")
    named = [one for one in labels if isinstance(one, str) and one in said] if isinstance(labels, list) else []
    return len(set(named)) > 1 or not said.strip(". …") or said.strip()[:1] in ("<", "[", "{")


def _around(text: str, objects: list[Found]) -> Iterator[str]:
    place = 0
    for one in objects:
        yield text[place : one.start]
        place = one.end
    yield text[place:]


def _is_balanced(text: str) -> bool:
    """Whether braces come in pairs, as those of LaTeX do: else an object was begun, or ended, that cannot be read."""
    depth = 0
    for mark in re.findall(r"[{}]", text):
        depth += 1 if mark == "{" else -1
        if depth < 0:
            return False
    return depth == 0


def _mentions(text: str, name: str, own: Schema) -> Iterator[JsonValue]:
    """What a text says that ``name`` is, in so many words; not where it says what it may be."""
    words = re.escape(name).replace("_", "[ _-]").replace(r"\-", "[ _-]")
    for found in re.finditer(rf"(?<!\w){words}(?!\w){_VALUE}", text, re.IGNORECASE):
        said = scalar(found[1].rstrip(".-"), own)
        labels = own.get("enum")
        meant = said in labels if isinstance(labels, list) else isinstance(said, int | float)
        share = own.get("maximum") is not None and text[found.end() :].startswith(f"{own['maximum']}")
        if meant and (not found[2] or (found[2].strip() == "/" and share)):
            yield said


def _named(schema: Schema) -> Iterator[str]:
    """The members of a form, at any depth."""
    for name, own in properties(schema).items():
        yield name
        items = own.get("items")
        yield from _named(items if isinstance(items, dict) else own)


def _had(value: JsonValue, name: str) -> int:
    """How often a value has a member of that name."""
    if isinstance(value, dict):
        return sum((folded(said) == folded(name)) + _had(one, name) for said, one in value.items())
    return sum(_had(one, name) for one in value) if isinstance(value, list) else 0


def _holds_a_member(value: JsonValue) -> bool:
    """Whether a text in the value has what may be an object's member."""
    if isinstance(value, str):
        return _MEMBER.search(value) is not None
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_holds_a_member, parts))


def _written(text: str, name: str) -> int:
    """How often a name stands in a text as a member's does."""
    return len(re.findall(rf"(?<!\w){re.escape(name)}[\"'”’]?\s*:", text, re.IGNORECASE))
