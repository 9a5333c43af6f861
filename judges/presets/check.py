"""What is wrong with a preset that can be read: slots that its judgement leaves empty, and a form of reply that lacks
what the judgement reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jsonschema
from pydantic import BaseModel, JsonValue, ValidationError

from judges.presets.library import folders
from judges.presets.preset import Preset
from judges.presets.slots import Mechanism

VERIFIERS: dict[Mechanism, str] = {
    "pointwise": "judge",
    "criteria": "rubric",
    "stepwise": "critique",
    "checklist": "checklist",
    "comparative": "compare",
    "tooled": "tooled",
}
"""The verifier that judges by presets of a mechanism."""

_PAIR, _LIST = frozenset({"first", "second"}), frozenset({"candidates", "count"})
_UNFILLED: dict[tuple[Mechanism, str], frozenset[str]] = {
    ("criteria", "each"): frozenset({"criteria"}),
    ("criteria", "all"): frozenset({"criterion"}),
    ("criteria", "whole"): frozenset({"criterion"}),
    ("stepwise", "all"): frozenset({"step"}),
    ("comparative", "list"): _PAIR,
    **{("comparative", reading): _LIST for reading in ("verdict", "scores", "strength", "token")},
}
"""What a mechanism does not fill, by what the judgement asks for."""


def problems(preset: Preset) -> list[str]:
    """In words; empty where nothing is wrong."""
    return [*_of_prompts(preset), *_of_judgement(preset), *_of_form(preset)]


def check_folder(folder: Path) -> dict[str, list[str]]:
    """What is wrong with the presets in a folder, or with the one that it is, by name."""
    places = [folder] if (folder / "preset.yaml").exists() else folders(folder)
    if not places:
        return {folder.name: ["no folder here has a preset.yaml"]}
    return {place.resolve().name: _of_folder(place) for place in places}


def _of_folder(place: Path) -> list[str]:
    try:
        return problems(Preset.read(place.resolve()))
    except (ValueError, OSError) as wrong:
        return [str(wrong)]


def _of_prompts(preset: Preset) -> Iterator[str]:
    if "prompt" not in preset.prompts:
        yield "there is no prompt.md"
    shown = {"response", "candidates", "first", "conversation", "steps"}
    if not any(shown & one.slots for one in preset.prompts.values()):
        yield f"no prompt shows what is judged: one of {', '.join(sorted(shown))}"

    judgement = preset.head.judgement
    empty = _UNFILLED.get((preset.head.mechanism, str(judgement.get("ask", judgement.get("reading")))), frozenset())
    for name, prompt in preset.prompts.items():
        if found := sorted(empty & prompt.slots):
            yield f"{name}.md has slots that are empty where one reply is asked in this way: {', '.join(found)}"


def _of_judgement(preset: Preset) -> Iterator[str]:
    try:
        preset.judgement(_kind(preset.head.mechanism))
    except ValidationError as wrong:
        for one in wrong.errors():
            place = ".".join(map(str, one["loc"]))
            yield f"judgement{f'.{place}' if place else ''}: {one['msg']}"


def _of_form(preset: Preset) -> Iterator[str]:
    judgement = preset.head.judgement
    if judgement.get("reading") == "token":
        return
    if "reply" not in preset.forms:
        yield "there is no reply.json, and the judgement reads a reply"
        return
    schema = preset.form().schema
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as wrong:
        yield f"reply.json is no JSON Schema: {wrong.message}"
        return
    if preset.head.mechanism in ("pointwise", "tooled"):
        yield from _of_decision(schema, judgement)


def _of_decision(schema: dict[str, JsonValue], judgement: dict[str, JsonValue]) -> Iterator[str]:
    """The member that a score is made of."""
    name = str(judgement.get("field", "verdict"))
    members = schema.get("properties")
    member = members.get(name) if isinstance(members, dict) else None
    if not isinstance(member, dict):
        yield f"reply.json has no member {name!r}, which the judgement reads"
        return
    required = schema.get("required")
    if not isinstance(required, list) or name not in required:
        yield f"reply.json does not require {name!r}, which the judgement reads"
    values, labels = judgement.get("values"), member.get("enum")
    if isinstance(values, dict):
        if not isinstance(labels, list) or {*map(str, labels)} != {*values}:
            yield f"the labels of {name!r} in reply.json are not those that have a value: {', '.join(values)}"
    elif member.get("type") not in ("number", "integer"):
        yield f"{name!r} in reply.json is no number, and the judgement has a range"


def _kind(mechanism: Mechanism) -> type[BaseModel]:
    """What reads the judgement of a mechanism's presets. Each imports this package, so they are imported late."""
    from judges.checklist.verifier import Judgement as OfChecklist
    from judges.comparative.reading import Comparing
    from judges.critique.verifier import Judgement as OfCritique
    from judges.pointwise import Judgement as OfJudge
    from judges.rubric.judging import Judgement as OfRubric

    kinds: dict[Mechanism, type[BaseModel]] = {
        "pointwise": OfJudge,
        "criteria": OfRubric,
        "stepwise": OfCritique,
        "checklist": OfChecklist,
        "comparative": Comparing,
        "tooled": OfJudge,
    }
    return kinds[mechanism]
