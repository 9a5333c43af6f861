"""Label Studio's JSON: a list of tasks, each a response (``data``) with what annotators said of it (``annotations``).

A labelling interface fits that has ``<Choices name="right">`` with right, wrong and cannot tell, and where wanted
``<Number name="score">``, ``<TextArea name="note">`` and ``<TextArea name="reference">``, all of ``toName="response"``.
What else a label has travels in the annotation's ``trueward``. Not read: predictions, and annotations that were
cancelled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from pydantic import JsonValue

from app.kit.body import parse
from app.labels.formats.comma_separated import json_or_text
from app.labels.schemas import PlacedLabel, parse_label
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.label import Label

CHOICES: dict[str, bool | None] = {"right": True, "wrong": False, "cannot tell": None}
_NAMES = {said: choice for choice, said in CHOICES.items()}
_SHOWN = ("prompt", "response", "reference", "data_source")
_OWN = {"id", "record", "annotator", "source", "probability", "draw", "position", "after_reveal", "created_at"}


class LabelStudio:
    media_type = "application/json"
    needs_content = True
    head, between, tail = "[\n", ",\n", "\n]\n"

    def read(self, body: bytes) -> Iterator[PlacedLabel | FieldProblem]:
        tasks = parse(body)
        if not isinstance(tasks, list):
            raise InvalidRequest("the body is not a list of tasks, as Label Studio exports them (JSON, not JSON-MIN)")
        for number, task in enumerate(tasks, start=1):
            where = f"task {number}"
            try:
                values = list(_values(task))
            except ValueError as wrong:
                yield FieldProblem(field=where, code="label_studio", detail=str(wrong), line=number)
                continue
            yield from (parse_label(where, number, value) for value in values)

    def block(self, labels: Sequence[Label], contents: Mapping[str, Mapping[str, JsonValue]]) -> str:
        tasks = []
        for sample, said in groupby(labels, key=lambda label: label.sample):
            data = {"sample": sample} | {name: contents.get(sample, {}).get(name) for name in _SHOWN}
            tasks.append({"data": data, "annotations": [_annotation(label) for label in said]})
        return ",\n".join(json.dumps(task, ensure_ascii=False) for task in tasks)


def _annotation(label: Label) -> dict[str, JsonValue]:
    result = [_result("right", "choices", {"choices": [_NAMES[label.right]]})]
    if label.score is not None:
        result.append(_result("score", "number", {"number": label.score}))
    if label.note:
        result.append(_result("note", "textarea", {"text": [label.note]}))
    if label.reference is not None:
        result.append(_result("reference", "textarea", {"text": [json.dumps(label.reference, ensure_ascii=False)]}))
    own = label.model_dump(mode="json", include=_OWN)
    return {"result": result, "created_at": own["created_at"], "trueward": own}


def _result(name: str, kind: str, value: dict[str, JsonValue]) -> JsonValue:
    return {"from_name": name, "to_name": "response", "type": kind, "value": value}


def _values(task: JsonValue) -> Iterator[JsonValue]:
    """A label's fields for each annotation of a task. Raises ValueError."""
    data = _part(task, "data", dict)
    for annotation in _part(task, "annotations", list):
        if not isinstance(annotation, dict):
            raise ValueError("an annotation is an object")
        if annotation.get("was_cancelled"):
            continue
        own = annotation.get("trueward")
        yield (dict(own) if isinstance(own, dict) else _who(annotation)) | _named(data, own) | _read_choices(annotation)


def _part(task: JsonValue, name: str, kind: type[Any]) -> Any:
    found = task.get(name) if isinstance(task, dict) else None
    if not isinstance(found, kind):
        raise ValueError(f"a task has {name}: {'an object' if kind is dict else 'a list'}")
    return found


def _named(data: dict[str, JsonValue], own: JsonValue) -> dict[str, JsonValue]:
    """Of what the label speaks; a task may come back with more than we gave it, but not without it."""
    name = "sample" if own is not None or "sample" in data else "record"
    if name not in data:
        raise ValueError("a task's data has the sample (or the record) that was labelled")
    return {name: data[name]}


def _who(annotation: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        by = by.get("email") or by.get("id")
    return {} if by is None else {"annotator": str(by)}


def _read_choices(annotation: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    said: dict[str, JsonValue] = {}
    for result in _part(dict(annotation), "result", list):
        value = result.get("value") if isinstance(result, dict) else None
        if not isinstance(value, dict):
            raise ValueError("a result has a value")
        name = result["from_name"] if isinstance(result.get("from_name"), str) else ""
        if "choices" in value:
            said["right"] = _right(value["choices"])
        elif "number" in value and name == "score":
            said["score"] = value["number"]
        elif "text" in value and name in ("note", "reference"):
            text = _text(value["text"])
            said[name] = json_or_text(text) if name == "reference" else text
    if "right" not in said:
        raise ValueError("an annotation has no choice")
    return said


def _right(choices: JsonValue) -> bool | None:
    choice = str(choices[0]).strip().lower() if isinstance(choices, list) and len(choices) == 1 else ""
    if choice not in CHOICES:
        raise ValueError(f"the choice is {str(choices)[:80]}: one of {', '.join(CHOICES)}")
    return CHOICES[choice]


def _text(value: JsonValue) -> str:
    return "\n".join(str(part) for part in value) if isinstance(value, list) else str(value)
