"""Letters, sides of equations and what joins parts: what fits, what it becomes, and that ``math`` tells them apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.metamorphic.joins import JOINS
from audits.metamorphic.letters import LETTERS
from audits.metamorphic.transformation import Reader, Transformation
from audits.metamorphic.variants import task_of
from tests.audits.metamorphic.asking import applied
from trueward.wire.sample import Sample
from verifiers.math import MathVerifier
from verifiers.numeric import NumericVerifier

small = st.integers(2, 999)


def drawn(draw: st.DrawFn) -> str:
    """A reference of one of the forms that some transformation fits."""
    a, b, c = draw(small), draw(small), draw(st.integers(2, 9))
    low, high = sorted((a, b + 1000))
    letters = draw(st.sampled_from(["m n", "ab", "x^{2}", "g h", "xy", "h"]))
    name = draw(st.sampled_from(["y", "v", "f(x)"]))
    return draw(
        st.sampled_from(
            [
                f"{a}", f"{a} {letters}", f"\\frac{{{a}}}{{{b}}} {letters}", f"f({c})", f"s Y(s)-y({c})",
                f"P(X={c})=\\frac{{1}}{{{b}}}", f"{name} = {c} e^{{x}}", f"{name} = \\sqrt{{x}}+{c}",
                f"\\sqrt{{{a}}} \\approx {a**0.5:.3f}", f"{a}-{c}i", f"{a}, {c}", f"[{low}, {high}]",
                f"[{low}, {high})",
                f"[{a}, \\infty)", f"(-\\infty, {a})", f"{a}; {a + c}", f"\\{{{a}, {a + c}\\}}", f"({low}, {high})",
                f"(-\\infty, {low}) \\cup ({high}, \\infty)", f"(\\pm {a}, {b})", f"{a} balls",
                f"{c}:0{c}:1{c} a.m.", f"{c}:1{c} p.m.",
            ]
        )
    )  # fmt: skip


references = st.composite(drawn)()


@pytest.mark.parametrize("transformation", [*LETTERS, *JOINS], ids=lambda each: each.name)
@given(reference=references, seed=st.integers(0, 9))
def test_what_breaks_is_rejected_and_what_keeps_is_accepted(
    transformation: Transformation, reference: str, seed: int
) -> None:
    answer = transformation.apply(task_of(Sample(reference=reference), Reader("math")), seed)
    if answer is None:
        return
    [verdict] = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    assert verdict.score == (0.0 if transformation.breaks else 1.0), (answer, verdict.reason_code)


@given(number=small, seed=st.integers(0, 9))
def test_a_number_with_letters_is_none_for_numeric_either(number: int, seed: int) -> None:
    task = task_of(Sample(reference=str(number)), Reader("numeric"))
    for each in (*LETTERS, *JOINS):
        answer = each.apply(task, seed) if "numeric" in each.verifiers else None
        if answer is not None:
            [verdict] = NumericVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=number)])
            assert verdict.score == 0.0, answer


@pytest.mark.parametrize(
    ("name", "reference", "answer"),
    [
        ("letters_dropped", "16 m n", "16"),
        ("letters_dropped", "6 m", None),
        ("letters_dropped", "5 cm + 1", None),
        ("letters_power_changed", "6 x^{2}", "6 x"),
        ("function_value_dropped", "s Y(s)-y(0)", "s Y(s)-0"),
        ("function_argument_changed", "f(1)", "f(2)"),
        ("function_argument_changed", "f(1)+f(2)", None),
        ("claim_changed", "P(X=4)=5/8", "P(X=5)=5/8"),
        ("named_value_changed", "y = 2 e^{x}", "y = 3 e^{x}"),
        ("named_value_changed", "y = 2", None),
        ("named_value_zero", "y = 2 e^{x}", "y = 0"),
        ("rounding_changed", r"\sqrt{2} \approx 1.41", r"\sqrt{2} \approx 2.41"),
        ("letter_upright", "1-5i", r"1-5\mathrm{i}"),
        ("list_as_decimal", "3, 5", "3.5"),
        ("list_as_decimal", "3, 500", None),
        ("interval_as_list", "[3, 7)", "3, 7"),
        ("interval_as_list", "(3, 7)", None),
        ("infinity_closed", r"(-\infty, 3)", r"[-\infty, 3)"),
        ("infinity_closed", "(1, 3)", None),
        ("blanks_swapped", "10; 5", "5; 10"),
        ("blanks_swapped", "5; 5", None),
        ("set_of_sets", r"\{1, 2\}", r"\{\{1\}, \{2\}\}"),
        ("union_as_and", r"(-\infty, 1) \cup (2, \infty)", r"x < 1 \text{ and } x > 2"),
        ("interval_as_or", "(1, 2)", r"x > 1 \text{ or } x < 2"),
        ("half_of_day_changed", "9:03:36 a.m.", "9:03:36 p.m."),
        ("noun_in_brackets", "15 balls", "15 (balls)"),
        ("signs_written_out", r"(\pm 2, 0)", "(2, 0), (-2, 0)"),
    ],
)
def test_what_a_reference_becomes(name: str, reference: str, answer: str | None) -> None:
    assert applied(name, reference) == answer
