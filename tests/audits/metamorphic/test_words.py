"""Texts, options, labels, items and documents: what keeps their meaning depends on what the subject asks for."""

from __future__ import annotations

import json

import pytest
from pydantic import JsonValue

from tests.audits.metamorphic.asking import applied, of_sample, over_seeds
from trueward.wire.sample import Sample

CITIES: JsonValue = ["Lyon", "Paris", "Nice"]


@pytest.mark.parametrize(
    ("name", "reference", "verifier", "answer"),
    [
        ("text_upper_case", "Paris", "qa", "PARIS"),
        ("text_upper_case", "Straße", "qa", None),
        ("text_upper_case", "ad-bc", "math", None),
        ("text_upper_case", "A,B", "math", None),
        ("text_with_full_stop", "no solution", "math", "no solution."),
        ("text_blanks", "New York", "exact", "New  York"),
        ("text_set_as_text", "Evelyn", "math", r"\text{Evelyn}"),
        ("text_set_as_text", "Evelyn", "qa", None),
        ("text_negated", "Paris", "exact", "not Paris"),
        ("text_negated", "no solution", "math", None),
        ("text_answers_swapped", "Yes", "exact", "No"),
        ("text_answers_swapped", "odd", "math", "even"),
        ("text_answers_swapped", "Paris", "exact", None),
        ("text_number_changed", "May 1945", "exact", "May 1946"),
        ("text_upper_case", r"\frac{a}{b}", "qa", None),
    ],
)
def test_texts(name: str, reference: str, verifier: str, answer: str | None) -> None:
    assert applied(name, reference, verifier) == answer


def test_what_the_subject_asks_for_is_kept() -> None:
    assert applied("text_upper_case", "Paris", "exact") is None
    assert applied("text_upper_case", "Paris", "exact", casefold=True) == "PARIS"
    assert applied("text_with_full_stop", "Paris", "exact") is None
    assert applied("text_blanks", "New York", "exact", collapse_whitespace=False) is None


def test_options() -> None:
    sample = Sample(reference="B", metadata={"choices": CITIES})
    assert of_sample("choice_with_text", sample, "choice") == "B. Paris"
    assert of_sample("choice_by_text", sample, "choice") == "Paris"
    assert of_sample("choice_small_letter", sample, "choice") == "(b)"
    letters = {of_sample("choice_other_letter", sample, "choice", seed) for seed in range(20)}
    assert letters == {"A", "C"}
    texts = {of_sample("choice_other_text", sample, "choice", seed) for seed in range(20)}
    assert texts == {"Lyon", "Nice"}
    index = Sample(reference=1, metadata={"choices": CITIES})
    assert of_sample("choice_in_parentheses", index, "choice") == "(B)"


def test_an_option_that_stands_twice_is_not_told_by_its_text() -> None:
    same: JsonValue = ["none", " None", "None"]
    sample = Sample(reference="A", metadata={"choices": same})
    assert of_sample("choice_by_text", sample, "choice") is None
    assert of_sample("choice_other_text", sample, "choice") is None


def test_a_letter_is_an_option_only_where_it_can_be_one() -> None:
    assert applied("choice_other_letter", "A", "math") is None
    assert applied("choice_other_letter", "A", None) is None
    assert over_seeds("choice_other_letter", "B", "choice", options=2) == {"A"}


def test_labels() -> None:
    labels: JsonValue = ["spam", "ham"]
    sample = Sample(reference="spam", metadata={"labels": labels})
    assert of_sample("label_upper_case", sample, "label") == "SPAM"
    assert of_sample("label_other", sample, "label") == "ham"
    assert of_sample("label_other", Sample(reference="spam"), "label") is None
    assert applied("label_denied", "spam", "label", labels=labels) == "not spam"


def test_items() -> None:
    reference: JsonValue = ["Oslo", "Rome", "Bern"]
    assert applied("items_reordered", reference, "sets") == "Bern, Rome, Oslo"
    assert applied("items_with_and", "Oslo, Rome, Bern", "sets") == "Oslo, Rome and Bern"
    assert json.loads(applied("items_as_json", reference, "sets") or "") == reference
    assert over_seeds("item_dropped", reference, "sets") == {"Oslo, Rome", "Oslo, Bern", "Rome, Bern"}
    assert applied("items_reordered", ["bread and butter", "jam"], "sets") is None
    assert applied("items_reordered", ["Oslo", "oslo"], "sets") is None
    assert applied("items_reordered", ["a, b", "c"], "sets") is None


def _document(response: str | None) -> JsonValue:
    assert response is not None
    found: JsonValue = json.loads(response.split("```json\n")[1].removesuffix("\n```"))
    return found


def test_documents() -> None:
    reference: dict[str, JsonValue] = {"a": 1, "b": [1, 2], "c": {"d": "é"}}
    for name in ("document_reordered", "document_indented", "document_compact"):
        assert _document(applied(name, reference, "json")) == reference
    for name in ("document_name_dropped", "document_name_added", "document_value_changed", "document_number_as_text"):
        assert _document(applied(name, reference, "json")) != reference
    assert _document(applied("document_elements_swapped", reference, "json")) == {**reference, "b": [2, 1]}
    assert applied("document_elements_swapped", {"b": [1, 1]}, "json") is None
    assert applied("document_value_changed", reference, "json", check="schema") is None
    assert applied("document_indented", {"stdio": []}, None) is None
    assert applied("document_indented", '{"a": ' * 5000, "json") is None


def test_forms_hold_the_reference_as_it_stands() -> None:
    assert applied("form_tag", "5/6").endswith("<answer>5/6</answer>")  # type: ignore[union-attr]
    assert applied("form_sentence", r"\pi").endswith(r"The final answer is $\pi$.")  # type: ignore[union-attr]
    hostile = ["a{", "</answer>", r"so it is \boxed{4}", "#### 4", "two\nlines", "the answer is 4", "", "9" * 3000]
    for reference in hostile:
        assert applied("unchanged", reference) is None
    assert applied("unchanged", "5", "math", extract="tag") is None
