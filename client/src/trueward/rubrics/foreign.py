"""Rubrics of others, with the weight mode that gives their scores.

- HealthBench (``rubrics: [{criterion, points, tags}]``): points of criteria that are met, over the positive points.
  Their score of one response is not clipped, only its mean over all; the mode clips each, and a verdict's evidence has
  both.
- open-instruct (``{query, rubrics: [{description, weight}]}``, or that as JSON text in ``ground_truth``): 0, 1 or 2 a
  criterion, over the sum of the absolute weights. A reply that cannot be read counts as 0 there: ask the verifier for
  ``on_parse_error: zero``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from trueward.rubrics.rubric import Rubric

_TEXTS = ("description", "rubric_item", "Ingredient")
_LABELS = ("ground_truth", "label", "reference")


def from_healthbench(row: JsonValue) -> Rubric:
    """Of one row. Raises ValueError."""
    if not isinstance(row, dict):
        raise ValueError("a row is a JSON object with rubrics")
    criteria: list[JsonValue] = []
    for place, item in enumerate(_items(row), start=1):
        if not isinstance(item.get("criterion"), str) or not _is_number(item.get("points")):
            raise ValueError(f"rubrics.{place - 1} has no criterion and points")
        fields = {"id": f"c{place}", "text": item["criterion"], "weight": item["points"]}
        criteria.append({**fields, "tags": item.get("tags") or []})
    name = row.get("prompt_id")
    made = {"name": name if isinstance(name, str) else "", "weight_mode": "signed_pos_norm_clip"}
    return Rubric.of({**made, "scores": "binary", "criteria": criteria})


def from_open_instruct(row: JsonValue) -> Rubric:
    """Of one row, or of its label alone; an item without a text is passed over, as it is there. Raises ValueError."""
    label = _label(row)
    criteria: list[JsonValue] = []
    for place, item in enumerate(_items(label), start=1):
        text = next((item[name] for name in _TEXTS if item.get(name)), None)
        weight = item.get("weight", 1.0)
        if not _is_number(weight):
            raise ValueError(f"rubrics.{place - 1} has a weight that is no number")
        if isinstance(text, str) and text.strip():
            criteria.append({"id": f"c{place}", "text": text, "weight": weight})
    return Rubric.of({"weight_mode": "signed_abs_norm", "scores": "graded", "criteria": criteria})


FOREIGN: Mapping[str, Callable[[JsonValue], Rubric]] = {
    "healthbench": from_healthbench,
    "open-instruct": from_open_instruct,
}


def _label(row: JsonValue) -> dict[str, JsonValue]:
    found = row
    if isinstance(found, dict) and "rubrics" not in found:
        found = next((found[name] for name in _LABELS if name in found), found)
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except (ValueError, RecursionError) as failure:
            raise ValueError(f"the label is no JSON: {failure}") from failure
    if not isinstance(found, dict):
        raise ValueError("a label is a JSON object with rubrics")
    return found


def _items(row: dict[str, JsonValue]) -> list[dict[str, JsonValue]]:
    items = row.get("rubrics")
    if not isinstance(items, list):
        raise ValueError("there is no list of rubrics")
    found = [item for item in items if isinstance(item, dict)]
    if len(found) < len(items):
        raise ValueError("a rubric's item is a JSON object")
    return found


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
