"""Replies of the kinds that real models write, written by hand and labelled by eye (``replies_by_hand.txt``)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from judges import presets
from judges.asking import Unreadable

FILE = Path(__file__).with_name("replies_by_hand.txt")
_FIELDS = {
    **dict.fromkeys(("graded_correctness", "rubric_each", "rubric_implicit", "quality", "against_reference"), "score"),
    "principle_score": "score",
    "xverify": "judgement",
    "pair_strength": "strength",
}


@dataclass(frozen=True, slots=True)
class ByHand:
    """``decision`` is what a reader of the reply would say that it decides; None for nothing, or for several."""

    preset: str
    decision: JsonValue
    text: str


def replies() -> Iterator[ByHand]:
    for block in FILE.read_text(encoding="utf-8").split("\n@@ ")[1:]:
        head, _, text = block.partition("\n")
        preset, _, decision = head.partition(" ")
        yield ByHand(preset, None if decision == "-" else json.loads(decision), text.removesuffix("\n"))


def read(reply: ByHand) -> JsonValue:
    """What the preset's form makes of the reply; None where it cannot be read."""
    try:
        value = presets.find(reply.preset).form().read(reply.text)
    except Unreadable:
        return None
    return _decision(reply.preset, value)


def _decision(preset: str, value: Mapping[str, JsonValue]) -> JsonValue:
    match preset:
        case "pair_scores":
            return [value["score_1"], value["score_2"], value["ranking"]]
        case "rubric_all":
            return {str(one["id"]): one["score"] for one in _rows(value["criteria"])}
        case "critique" | "critical" | "faithfulness":
            return [one["verdict"] for one in _rows(value["steps"])]
        case "checklist":
            return [one["met"] for one in _rows(value["items"])]
        case "listwise" | "spct":
            return value["scores"]
        case _:
            return value[_FIELDS.get(preset, "verdict")]


def _rows(value: JsonValue) -> list[dict[str, JsonValue]]:
    assert isinstance(value, list), "the form says so"
    return [one for one in value if isinstance(one, dict)]
