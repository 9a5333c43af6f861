"""Templates: two namespaces, and what is filled in is data."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from judges.grader.subject import Subject, Unfit
from judges.grader.template import Template, Variable
from trueward.authoring.verifier import Abstain

TOOLS: list[JsonValue] = [{"function": {"name": "search", "arguments": '{"q": 1}'}}]


def subject(text: str = "4", item: JsonValue = None) -> Subject:
    return Subject(item, text, TOOLS, [{"message": {"content": text}}])


def filled(source: str, text: str = "4", item: JsonValue = None) -> str:
    return Template.read(source).fill(subject(text, item))


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("no slots } { here", "no slots } { here"),
        ("{{item.a}}", "x"),
        ("{{   item.a   }}{{ item.b.c }}", "xy"),
        ("{{ item.list[1] }}", "two"),
        ("{{ item['b']['c'] }}{{ item[\"a b\"] }}", "yz"),
        ("{{ item.my-key }}", "k"),
        ("{{ item.number }} {{ item.yes }} {{ item.none }}", "1.0 true null"),
        ("{{ item.b }}", '{"c": "y"}'),
        ("{{ sample.output_text }}!", '{"n": [1, "ä"]}!'),
        ("{{ sample.output_json.n[1] }}", "ä"),
        ("{{ sample.output_tools[0].function.name }}", "search"),
        ("{{ sample.choices[0].message.content }}", '{"n": [1, "ä"]}'),
        ('{"smiles": "{{item.a}}"}', '{"smiles": "x"}'),
        ("{% if x %}{# no #}", "{% if x %}{# no #}"),
    ],
)
def test_variables_are_followed(source: str, said: str) -> None:
    item: JsonValue = {
        "a": "x", "b": {"c": "y"}, "a b": "z", "list": ["one", "two"], "my-key": "k",
        "number": 1.0, "yes": True, "none": None,
    }  # fmt: skip
    assert filled(source, '{"n": [1, "ä"]}', item) == said


@pytest.mark.parametrize(
    "text", ["{{ item.answer }}", "{{item.answer}}", "}}{{ item.answer }}{{", "{{ sample.output_text }}"]
)
def test_what_is_filled_in_is_never_searched_for_slots(text: str) -> None:
    item: JsonValue = {"answer": "{{ sample.output_text }}"}
    assert (
        filled("[{{ sample.output_text }}] [{{ item.answer }}]", text, item)
        == f"[{text}] [{{{{ sample.output_text }}}}]"
    )


@pytest.mark.parametrize(
    "source",
    [
        "{{ }}",
        "{{ item }}",
        "{{ sample }}",
        "{{ other.x }}",
        "{{ sample.reward }}",
        "{{ sample.output_audio.data }}",
        "{{ sample.output_text.x }}",
        "{{ item.a | upper }}",
        "{{ item.a.__class__() }}",
        "{{ item.a + 1 }}",
        "{{ item.a[-1] }}",
        "{{ item[0:2] }}",
        "{{ 7 * 7 }}",
        "{{ item.a",
        "{{{ item.a }}}",
        "{{ item..a }}",
    ],
)
def test_anything_but_a_variable_is_refused(source: str) -> None:
    with pytest.raises(ValueError):
        Template.read(source)


def test_a_great_many_open_braces_take_no_time() -> None:
    with pytest.raises(ValueError, match="not closed"):
        Template.read("{{" * 50_000)


@pytest.mark.parametrize("source", ["{{ item.b }}", "{{ item.a.b }}", "{{ item.a[0] }}", "{{ item.list[9] }}"])
@pytest.mark.parametrize("item", [None, "text", {"a": "x", "list": []}])
def test_what_the_item_lacks_is_the_caller_s_doing(source: str, item: JsonValue) -> None:
    with pytest.raises(Abstain) as refusal:
        filled(source, item=item)
    assert refusal.value.reason_code == "no_variable"


@pytest.mark.parametrize("source", ["{{ sample.output_json.b }}", "{{ sample.output_tools[3].function.name }}"])
def test_what_the_sample_lacks_is_the_response_s_doing(source: str) -> None:
    with pytest.raises(Unfit) as refusal:
        filled(source, '{"a": 1}')
    assert refusal.value.reason_code == "no_variable"


@pytest.mark.parametrize("text", ["prose", "{", "NaN", '{"a": 1e999}', '{"a": 1, "a": 2}', "[" * 10_000])
def test_a_sample_that_is_no_json_has_none(text: str) -> None:
    with pytest.raises(Unfit) as refusal:
        filled("{{ sample.output_json.a }}", text)
    assert refusal.value.reason_code == "no_json"


def test_a_template_knows_whether_the_policy_wrote_in_it() -> None:
    assert Template.read("a {{ sample.output_text }}").of_sample
    assert not Template.read("a {{ item.b }}").of_sample


def test_a_variable_is_read_into_its_steps() -> None:
    assert Variable.read("item.a[2]['x y'].b") == Variable("item", ("a", 2, "x y", "b"))


def test_another_text_in_the_same_form() -> None:
    said = subject('{"a": "no", "b": [1, "no"]}').saying("yes")
    assert said.json == {"a": "yes", "b": [1, "yes"]}
    assert said.tools == [{"function": {"name": "yes", "arguments": "yes"}}]
    assert subject("prose").saying("yes").text == "yes"
