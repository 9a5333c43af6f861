"""Rewrites and mutations of a JSON document. Each gives the whole response: the document in a fenced block."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from pydantic import JsonValue

from audits.metamorphic.transformation import Task, breaking, keeping

JSON = frozenset({"json"})
Change = Callable[[JsonValue], JsonValue]
_LARGEST = 20_000
_TESTS = frozenset({"stdio", "calls", "assertions", "files", "interactive"})


def document_reordered(task: Task, dice: Random) -> str | None:
    """The names of objects in another order."""

    def turned(value: JsonValue) -> JsonValue:
        return dict(reversed(value.items())) if isinstance(value, dict) else value

    return _changed(task, lambda document: _everywhere(document, turned))


def document_indented(task: Task, dice: Random) -> str | None:
    """On several lines."""
    document = _document(task)
    return None if document is None else _fenced(json.dumps(document, indent=4, ensure_ascii=False))


def document_compact(task: Task, dice: Random) -> str | None:
    """Without blanks, and with escapes for what is not ASCII."""
    document = _document(task)
    return None if document is None else _fenced(json.dumps(document, separators=(",", ":")))


def document_name_dropped(task: Task, dice: Random) -> str | None:
    """An object with one name less."""

    def shorter(document: JsonValue) -> JsonValue:
        if not isinstance(document, dict) or not document:
            return document
        gone = dice.choice(sorted(document))
        return {name: value for name, value in document.items() if name != gone}

    return _changed(task, shorter)


def document_name_added(task: Task, dice: Random) -> str | None:
    """An object with one name more."""
    return _changed(task, lambda value: {**value, "another_name": 1} if isinstance(value, dict) else value)


def document_value_changed(task: Task, dice: Random) -> str | None:
    """One value of an object or array is another."""

    def changed(document: JsonValue) -> JsonValue:
        if isinstance(document, dict) and document:
            name = dice.choice(sorted(document))
            return {**document, name: _other(document[name])}
        if isinstance(document, list) and document:
            place = dice.randrange(len(document))
            return [*document[:place], _other(document[place]), *document[place + 1 :]]
        return document

    return _changed(task, changed)


def document_elements_swapped(task: Task, dice: Random) -> str | None:
    """The first array with two different neighbours has them the other way round."""
    left = [True]

    def swapped(value: JsonValue) -> JsonValue:
        if isinstance(value, list) and left and len(value) > 1 and json.dumps(value[0]) != json.dumps(value[1]):
            left.clear()
            return [value[1], value[0], *value[2:]]
        return value

    return _changed(task, lambda document: _everywhere(document, swapped))


def document_number_as_text(task: Task, dice: Random) -> str | None:
    """Numbers as texts: 1 as "1"."""

    def quoted(value: JsonValue) -> JsonValue:
        return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value

    return _changed(task, lambda document: _everywhere(document, quoted))


def _document(task: Task) -> JsonValue:
    """An object or an array; None where the reference is none, is a program's tests, or another check is asked for."""
    reference = task.sample.reference
    if task.params.get("check", "equal") != "equal":
        return None
    if isinstance(reference, list):
        reference = reference[0] if reference else None
    if isinstance(reference, str) and len(reference) <= _LARGEST and reference.lstrip()[:1] in ("{", "["):
        try:
            reference = json.loads(reference)
        except (ValueError, RecursionError):
            return None
    if not isinstance(reference, dict | list) or (isinstance(reference, dict) and _TESTS & set(reference)):
        return None
    return reference if len(json.dumps(reference)) <= _LARGEST else None


def _changed(task: Task, change: Change) -> str | None:
    document = _document(task)
    if document is None:
        return None
    changed = json.dumps(change(document), ensure_ascii=False)
    return _fenced(changed) if changed != json.dumps(document, ensure_ascii=False) else None


def _everywhere(value: JsonValue, change: Change) -> JsonValue:
    """Changed from the outside in. Pydantic bounds how deep a document of a request is."""
    value = change(value)
    if isinstance(value, dict):
        return {name: _everywhere(inner, change) for name, inner in value.items()}
    return [_everywhere(inner, change) for inner in value] if isinstance(value, list) else value


def _other(value: JsonValue) -> JsonValue:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1 if abs(value) < 2**50 else 0
    return f"{value}?" if isinstance(value, str) else 0


def _fenced(text: str) -> str | None:
    return None if "```" in text else f"Here is the document.\n\n```json\n{text}\n```"


DOCUMENTS = (
    *keeping(JSON, document_reordered, document_indented, document_compact, whole=True),
    *breaking(JSON, document_name_dropped, document_name_added, document_value_changed, whole=True),
    *breaking(JSON, document_elements_swapped, document_number_as_text, whole=True),
)
