"""What is set aside as a unit, and what never is: letters of an expression stay in it."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.wire.sample import Sample
from verifiers.math import MathParams, MathVerifier
from verifiers.math.reading.quantity import quantity
from verifiers.math.reading.surface import plain
from verifiers.math.reading.unit import factor, names_unit
from verifiers.math.verifier import Letters


@pytest.mark.parametrize(
    ("text", "core", "unit"),
    [
        (r"25 \mathrm{ft}", "25", "ft"),
        (r"3 \times 10^{8} \mathrm{~m} / \mathrm{s}", r"3 \times 10^{8}", "m/s"),
        (r"9.8\frac{\mathrm{m}}{\mathrm{s}}", "9.8", "m/s"),
        (r"y=2 t \mathrm{~cm}", "y=2 t", "cm"),
        ("15 (balls)", "15", "ball"),
        (r"15 \text{ balls}", "15", "ball"),
        ("30 mph", "30", "mph"),
        ("34个", "34", "个"),
        (r"5\sqrt{3} cm", r"5\sqrt{3}", "cm"),
        (r"33\text{%}", "33", "percent"),
    ],
)
def test_a_unit_where_one_can_stand(text: str, core: str, unit: str) -> None:
    found = quantity(plain(text))
    assert (found.core, found.unit) == (core, unit)


@pytest.mark.parametrize(
    "text",
    [
        "16 m n", "4 ab", "5 xy", "(x+1) m", r"\sqrt{3} h", r"\frac{1}{2} g h", "3 e^{2}", "-56 x^{2}", "2 theta",
        "3 sinh x", "3 cot x", "3 sec x", "7 twelfths", "5k", "5 below zero", "5 or less", "3万", "5 to 6",
        "4 x^{2} y^{4} z^{2}", r"5 \text{ or } 6",
    ],
)  # fmt: skip
def test_letters_and_words_that_are_none(text: str) -> None:
    assert quantity(plain(text)).unit == ""
    assert quantity(plain(text)).letters is None


@pytest.mark.parametrize("text", ["6 m", "2s", "9.8 m/s^2", "2mg"])
def test_letters_that_may_be_one_are_kept_for_the_other_side(text: str) -> None:
    found = quantity(text)
    assert (found.core, found.unit) == (text, "")
    assert found.letters is not None


@given(
    st.integers(2, 10**6),
    st.sampled_from(["m n", "ab", "xy", r"\theta", "x^{2}", r"\sin x", "g h"]),
    st.booleans(),
)
def test_a_number_is_never_a_monomial(number: int, letters: str, swapped: bool) -> None:
    sides = (f"{number} {letters}", str(number))
    answer, reference = sides[::-1] if swapped else sides
    [verdict] = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    assert verdict.score == 0.0


@pytest.mark.parametrize(
    ("letters", "prompt", "score"),
    [
        (Letters.PROMPT, "How many metres is that?", 1.0),
        (Letters.PROMPT, r"A rod of 3 \text{ m} is cut.", 1.0),
        (Letters.PROMPT, "Solve n = 6m for n.", 0.0),
        (Letters.PROMPT, "", 0.0),
        (Letters.ALWAYS, "", 1.0),
        (Letters.NEVER, "How many metres is that?", 0.0),
    ],
)
def test_one_letter_beside_a_bare_number_is_what_the_caller_says(letters: Letters, prompt: str, score: float) -> None:
    verifier = MathVerifier(MathParams(unit_letters=letters))
    for answer, reference in (("6 m", "6"), ("6", "6 m")):
        [verdict] = verifier.verify([Sample(prompt=prompt, response=f"\\boxed{{{answer}}}", reference=reference)])
        assert verdict.score == score
        assert (verdict.evidence.get("set_aside") == ["unit_letters"]) == bool(score)


def test_what_is_set_aside_is_named() -> None:
    for answer, reference, rules in (
        ("x = 5", "5", ["variable"]),
        (r"5\text{ cm}", "5", ["unit"]),
        (r"\text{Area} = 5", "5", ["label"]),
        ("1, 2", "(1, 2)", ["brackets"]),
        (r"\{5\}", "5", ["braces"]),
        ("A e^{x}", "C e^{x}", ["constants"]),
        ("5", "5", None),
    ):
        [verdict] = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
        assert verdict.score == 1.0, answer
        assert verdict.evidence.get("set_aside") == rules, answer


def test_units_convert_or_agree() -> None:
    assert factor("km/h", "m/s") == factor("km", "m") / factor("h", "s")  # type: ignore[operator]
    assert factor("apple", "orange") is None
    assert factor("cm^2", "cm^3") is None
    assert names_unit("How many seconds?", "s")
    assert not names_unit("Solve for s.", "s")


SCALES = {
    "K": (Fraction(1), Fraction(0)),
    "°C": (Fraction(1), Fraction("273.15")),
    "°F": (Fraction(9, 5), Fraction("459.67")),
}
WRITTEN = {
    "K": ("{}\\text{{ K}}", "{} K"),
    "°C": ("{}^\\circ C", "{}^{{\\circ}}\\mathrm{{C}}", "{} ℃", "{}\\text{{ degrees Celsius}}"),
    "°F": ("{}^\\circ\\text{{F}}", "{}℉", "{}\\text{{ degrees Fahrenheit}}"),
}


@given(st.integers(-200, 500), st.sampled_from(sorted(SCALES)), st.sampled_from(sorted(SCALES)), st.data())
def test_a_temperature_is_a_point_on_any_scale(number: int, ours: str, theirs: str, data: st.DataObject) -> None:
    """``degree`` per kelvin, and how far zero is from absolute zero."""
    (size, zero), (other, begin) = SCALES[theirs], SCALES[ours]
    converted = (number + zero) / size * other - begin
    reference = data.draw(st.sampled_from(WRITTEN[theirs])).format(number)
    wording = data.draw(st.sampled_from(WRITTEN[ours]))
    for off, score in ((0, 1.0), (1, 0.0), (Fraction(5, 9), 0.0)):
        answer = wording.format(f"\\frac{{{(converted + off).numerator}}}{{{(converted + off).denominator}}}")
        if ours == "K" and "text" not in wording:
            continue  # letters after a fraction are factors
        [verdict] = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
        assert verdict.score == score, (answer, reference, verdict)
