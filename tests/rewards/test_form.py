"""The form of an answer: one name for the ways in which the same kind of answer is written."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.noise.form import answer_form
from rewards.noise.rates import feature
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

FORMS = {
    "integer": ["391", "-7", "1,234", "$12$", "\\boxed{5}"],
    "decimal": ["-0.5", ".5", "3.14", "1,234.5"],
    "scientific": ["1e-5", "6.02\\times 10^{23}", "3 × 10^8"],
    "percent": ["50%", "12.5\\%"],
    "fraction": ["3/4", "\\frac{3}{4}", "\\dfrac{10}{12}", "$\\frac12$"],
    "money": ["\\$5.00", "$5", "€12", "5 dollars"],
    "letter": ["A", "(B)", "c.", "x"],
    "set": ["\\{1, 2\\}", "\\emptyset", "(0,1) \\cup (2,3)"],
    "tuple": ["(1, 2)", "[0, 1)"],
    "list": ["1, 2 and 3, 4", "red; blue", "\\text{red, blue}"],
    "relation": ["x = 4", "x<3", "a \\le b"],
    "quantity": ["5 m/s", "36\\ \\text{km/h}", "10 apples", "9.8 m/s^2"],
    "expression": ["x^2+1", "2\\sqrt{3}", "25\\pi", "(x-2)(x-3)", "n!"],
    "words": ["Paris", "New York City", "yes"],
    "empty": ["", " \n"],
}


@pytest.mark.parametrize(("form", "text"), [(form, text) for form, texts in FORMS.items() for text in texts])
def test_an_answer_has_the_form_of_its_looks(form: str, text: str) -> None:
    assert answer_form(text) == form


@given(st.text(max_size=300))
def test_any_text_has_one_of_the_forms(text: str) -> None:
    assert answer_form(text) in FORMS


@pytest.mark.parametrize("scrap", ["(", "1,", "-", "a=", "\\frac", "1.1", "{", "$", "5 m/", "^-"])
def test_hostile_texts_take_linear_time(scrap: str) -> None:
    start = time.process_time()
    answer_form(scrap * 100_000)
    assert time.process_time() - start < 0.1


def test_a_verdict_that_names_its_form_is_believed() -> None:
    sample = Sample(response="3/4")
    assert feature("form", sample, Verdict.correct("equal", evidence={"form": "odd", "extracted": "3/4"})) == "odd"
    assert feature("form", sample, Verdict.correct("equal", evidence={"extracted": "3/4"})) == "fraction"
    assert feature("form", sample, Verdict.correct("equal")) == "none"
