"""What holds a model to a form is told how long its texts may be: the reply has room in its tokens, by construction."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from judges import presets
from judges.asking import Form
from judges.asking.bounds import bounded, is_free_text, text_tokens, unbounded
from judges.asking.rows import with_names, with_rows
from judges.asking.schema_fit import bare
from judges.tooled.action import form

FORMS = {name: presets.find(name).form() for name in presets.names() if presets.find(name).forms}
FORMS["tool_correctness"] = form(("python", "math"), FORMS["tool_correctness"])
FORMS["critique"] = with_rows(FORMS["critique"], "steps", "step", range(1, 7))
FORMS["critical"] = with_rows(FORMS["critical"], "steps", "step", range(1, 7))
FORMS["faithfulness"] = with_rows(FORMS["faithfulness"], "steps", "step", range(1, 7))
FORMS["checklist"] = with_rows(FORMS["checklist"], "items", "item", range(1, 4))
FORMS["rubric_all"] = with_rows(FORMS["rubric_all"], "criteria", "id", ["clear", "right"])
FORMS["listwise"] = with_names(FORMS["listwise"], "scores", "best-to-worst", ["model-1", "model-2"])
FORMS["spct"] = with_names(FORMS["spct"], "scores", "", ["model-1", "model-2"])


def longest(schema: Any) -> Any:
    """A value of the schema that says as much as it can."""
    if "anyOf" in schema:
        return max((longest(one) for one in schema["anyOf"]), key=lambda one: len(json.dumps(one)))
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return max(schema["enum"], key=lambda one: len(json.dumps(one)))
    if "maxLength" in schema:
        return "1" * schema["maxLength"]
    if "properties" in schema:
        return {name: longest(one) for name, one in schema["properties"].items()}
    if "prefixItems" in schema:
        return [longest(one) for one in schema["prefixItems"]]
    if schema["type"] == "array":
        return [longest(schema["items"])] * schema["maxItems"]
    return False if schema["type"] == "boolean" else schema.get("maximum", 1000)


@pytest.mark.parametrize("max_tokens", [512, 1024, 4096])
@pytest.mark.parametrize("name", FORMS)
def test_the_longest_reply_has_no_more_characters_than_there_are_tokens(name: str, max_tokens: int) -> None:
    shown = bounded(bare(json.loads(FORMS[name].text)), max_tokens)
    reply = json.dumps(longest(shown))
    assert len(reply) <= max_tokens
    FORMS[name].read(reply)


@given(
    texts=st.integers(1, 6),
    rows=st.one_of(st.none(), st.integers(1, 40)),
    labels=st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=4),
    spare=st.integers(0, 5_000),
)
def test_any_form_of_texts_and_labels_has_room_where_its_labels_have(
    texts: int, rows: int | None, labels: list[str], spare: int
) -> None:
    properties: dict[str, JsonValue] = {f"text {place}": {"type": "string"} for place in range(texts)}
    schema: dict[str, JsonValue] = {"type": "object", "properties": {**properties, "label": {"enum": [*labels]}}}
    if rows is not None:
        listed: dict[str, JsonValue] = {"type": "array", "items": schema, "maxItems": rows}
        schema = {"type": "object", "properties": {"rows": listed, "more": {"type": "string"}}}
    max_tokens = len(json.dumps(longest(bounded(schema, 0)))) + spare
    assert len(json.dumps(longest(bounded(schema, max_tokens)))) <= max_tokens
    assert text_tokens(schema, max_tokens) <= max_tokens - max_tokens // 4


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "enum": ["a"]},
        {"type": "string", "maxLength": 9},
        {"type": "string", "pattern": "^a*$"},
        {"type": "integer"},
        {"const": "a"},
    ],
)
def test_what_has_an_end_of_its_own_stays(schema: dict[str, JsonValue]) -> None:
    assert not is_free_text(schema)
    assert bounded(schema, 100) == schema


def test_a_text_that_may_be_null_is_bounded() -> None:
    shown = bounded({"type": ["string", "null"]}, 100)
    assert isinstance(shown, dict)
    assert 0 < int(str(shown["maxLength"])) < 100


def test_rows_are_told_by_their_names_and_to_servers_that_refuse_that_by_their_number() -> None:
    form = presets.find("critique").form()
    told = with_rows(form, "steps", "step", range(1, 4))
    assert told.schema == form.schema, "replies are read as before"
    shown: Any = bounded(bare(json.loads(told.text)), 1024)
    steps = shown["properties"]["steps"]
    assert [one["properties"]["step"] for one in steps["prefixItems"]] == [{"const": place} for place in (1, 2, 3)]
    assert "items" not in steps
    plain: Any = unbounded(bare(json.loads(told.text)))
    steps = plain["properties"]["steps"]
    assert (steps["minItems"], steps["maxItems"], "prefixItems" in steps) == (3, 3, False)
    assert steps["items"]["properties"]["step"] == {"type": "integer"}


def test_a_form_without_such_rows_or_names_is_told_as_it_is() -> None:
    form = Form({"type": "object", "properties": {"verdict": {"enum": ["A", "B"]}}})
    assert with_rows(form, "steps", "step", [1]).text == form.text
    assert with_names(form, "scores", "order", ["model-1"]).text == form.text


def test_a_condition_on_a_label_is_told_as_one_of_two_forms() -> None:
    """llama.cpp knows none: it let a model say that a response is sound and has an error in its second step."""
    form = presets.find("flawed_positive").form()
    sound, flawed = json.loads(form.text)["anyOf"]
    assert sound["properties"]["verdict"]["enum"] == ["sound"]
    assert (sound["properties"]["first_error"]["minimum"], sound["properties"]["first_error"]["maximum"]) == (-1, -1)
    assert flawed["properties"]["verdict"]["enum"] == ["flawed"]
    assert flawed["properties"]["first_error"]["minimum"] == 0
    for error, verdict in ((-1, "sound"), (2, "flawed")):
        form.read(json.dumps({"analysis": "", "first_error": error, "verdict": verdict}))


def test_without_its_rationale_a_form_has_the_decision_alone() -> None:
    told = with_rows(presets.find("critique").form(), "steps", "step", [1, 2])
    rows = json.loads(told.decision)["properties"]["steps"]["prefixItems"]
    assert [set(row["properties"]) for row in rows] == [{"step", "verdict"}] * 2
