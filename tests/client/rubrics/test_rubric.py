"""Rubrics as documents: what is read, what is refused, and what a hash stands for."""

from __future__ import annotations

import pytest
from pydantic import JsonValue, ValidationError

from trueward.rubrics import Rubric, explain_refusal

YAML = """
name: sea
weight_mode: signed_abs_norm
criteria:
  - {id: boat, text: Mentions a boat., category: essential}
  - {id: rambles, text: Rambles on., weight: -0.5, hidden: true}
"""
JSON = """{"name": "sea", "weight_mode": "signed_abs_norm", "criteria": [
  {"id": "boat", "text": "Mentions a boat.", "category": "essential"},
  {"id": "rambles", "text": "Rambles on.", "weight": -0.5, "hidden": true}]}"""


def test_yaml_and_json_say_the_same() -> None:
    assert Rubric.parse(YAML) == Rubric.parse(JSON)
    assert [one.weighs for one in Rubric.parse(YAML).criteria] == [1.0, -0.5]


def test_the_hash_is_of_what_is_asked_for() -> None:
    one = Rubric.parse(YAML)
    assert one.hash == Rubric.parse(YAML.replace("name: sea", "name: ocean")).hash
    assert one.hash != Rubric.parse(YAML.replace("-0.5", "-0.6")).hash
    assert one.hash != Rubric.parse(YAML.replace("hidden: true", "hidden: false")).hash
    assert one.hash.startswith("sha256:")


def test_a_list_of_texts_is_a_rubric() -> None:
    assert [(one.id, one.weighs) for one in Rubric.of(["a", {"text": "b", "weight": 2}]).criteria] == [
        ("c1", 1),
        ("c2", 2),
    ]


@pytest.mark.parametrize(
    ("document", "place"),
    [
        ([{"text": ""}], "criteria.0.text"),
        ([{"text": " \n"}], "criteria.0.text"),
        ([{"text": "x" * 4001}], "criteria.0.text"),
        ([{"text": "x", "weight": 1, "category": "optional"}], "criteria.0"),
        ([{"text": "x", "weight": float("nan")}], "criteria.0.weight"),
        ([{"text": "x", "weight": True}], "criteria.0.weight"),
        ([{"text": "x", "weight": "1"}], "criteria.0.weight"),
        ([{"text": "x", "category": "nice"}], "criteria.0.category"),
        ([{"id": "a", "text": "x"}, {"id": "a", "text": "y"}], "ids stand twice: a"),
        ([{"text": "x", "weight": -1}], "below 0"),
        (["x"] * 257, "criteria"),
        ("x", "criteria"),
        (None, "criteria"),
        ({}, "criteria"),
        ({"criteria": ["x"], "threshold": 1}, "?"),
    ],
)
def test_what_is_none_is_refused_by_place(document: JsonValue, place: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        Rubric.of(document)
    assert place in explain_refusal(refusal.value)


@pytest.mark.parametrize(
    "text", ["{", "[1", "a: [", "a: &x [1]\nb: *x", "[" * 100_000, "a: " + "[" * 5000, "- " * 200_000]
)
def test_text_that_is_neither_json_nor_yaml_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|YAML|deep|aliases"):
        Rubric.parse(text)


def test_the_divisor_of_each_mode() -> None:
    criteria = [{"text": "x", "weight": 2}, {"text": "y", "weight": -1}]
    found = {mode: Rubric.of(criteria, mode).best for mode in ("signed_abs_norm", "signed_pos_norm_clip")}  # type: ignore[arg-type]
    assert found == {"signed_abs_norm": 3, "signed_pos_norm_clip": 2}
