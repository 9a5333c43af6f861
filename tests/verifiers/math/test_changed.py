"""A right value that signs or words around it make another one, or none, is not right."""

from __future__ import annotations

import pytest

from trueward import Outcome, Sample
from verifiers import registry
from verifiers.math import MathVerifier

MATH = MathVerifier()
VALUES = ["7", "\\frac{5}{2}", "3\\sqrt{2}", "x^2 + 1", "2 x e^{x}", "x = 3", "y = 2x + 1"]
CHANGES = [
    "\\not= %s", "\\neg = %s", "\\ne %s", "%s \\text{ doubled}", "%s \\text{ halved}", "%s \\text{ squared}",
    "%s \\text{ etc.}", "%s \\text{ths}", "%s : 1 : 1", "%s : 2", "\\text{the reciprocal of } %s",
    "\\text{the absolute value of } %s - 20", "\\text{half of } %s", "\\text{twice } %s", "%s \\text{ or more}",
    "%s \\text{ upwards}", "%s \\text{ million}", "\\Delta(%s)", "O(%s)", "(%s)'", "\\nexists %s", "\\overline{%s} + 1",
    "\\text{anything except } %s", "\\text{never } %s", "%s \\text{ (false)}", "%s + \\cdots", "%s + o(1)",
    "\\mathbb{E}[%s]", "\\operatorname{Var}(%s)", "\\cancel{%s}", "%s \\text{ \\textperthousand}", "\\rlap{%s}8",
]  # fmt: skip
NAMELESS = ["\\not", "\\neg", "\\forall", "\\exists", "\\infty", "\\sim", "\\pm", "\\le", "\\in", "\\cdot"]
RESTATED = [
    "\\text{the domain of } %s", "\\text{the range of } %s", "\\text{the roots of } %s", "\\text{the center of } %s",
    "\\text{the vertex of } %s", "\\text{the solutions of } %s",
]  # fmt: skip
NUMERIC = [("\\sqrt{2} = 3", "\\sqrt{2} = 4"), ("5 > 3", "7 > 2"), ("\\pi < 4", "\\pi < 5"), ("e = 2.718", "e = 2.719")]
ALPHABETS = {
    "(-\\infty, 3) \\cup (5, \\infty)": (
        "(−∞, 3) ∪ (5, ∞)", "x < 3 ∨ x > 5", "ℝ ∖ [3, 5]", "x ∉ [3, 5]", "(-\\infty; 3) \\cup (5; \\infty)",
        "\\{x ∈ ℝ \\,\\middle|\\, x < 3 \\text{ or } x > 5\\}", "(-\\infty, 3) ⊔ (5, \\infty)",
    ),
    "(3, 5)": ("⟨3, 5⟩", "[3, 5]^T", "\\begin{pmatrix} 3 & 5 \\end{pmatrix}^{\\top}"),
    "x > 3": ("3 < x < ∞", "𝑥 > 3", "𝐱 > 𝟑"),
    "3 - 5i": ("3 − 5ⅈ", "3 - 5𝑖"),
    "\\lfloor x \\rfloor": ("⌊x⌋",),
}  # fmt: skip


def equal(answer: str, reference: str) -> bool:
    (verdict,) = MATH.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome is Outcome.CORRECT


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_a_value_makes_it_wrong(change: str) -> None:
    for value in VALUES:
        assert not equal(change % value, value), value


@pytest.mark.parametrize("name", NAMELESS)
def test_a_sign_is_no_name_of_a_value(name: str) -> None:
    assert not equal(f"{name} = 7", "7")
    assert equal("\\theta = 7", "7")


@pytest.mark.parametrize("said", RESTATED)
def test_what_belongs_to_a_formula_is_not_the_formula(said: str) -> None:
    for formula in ("x^2 - 1", "x^2 + y^2 = 25", "y = x^2"):
        assert not equal(said % formula, formula)
    assert equal("\\text{the minimum value is } 7", "7")
    assert equal("\\text{a maximum of } 7", "7")


@pytest.mark.parametrize(("one", "other"), NUMERIC)
def test_a_relation_of_numbers_is_no_other_one(one: str, other: str) -> None:
    assert not equal(one, other)
    assert not equal(other, one)
    assert equal(other, other)


@pytest.mark.parametrize(
    "approximate", ["0.97", "0", "0.981 x", "0.981 + \\pi", "2 \\cdot 0.981", "0.981 \\text{ squared}"]
)
def test_what_follows_an_approximation_sign_counts_to_its_end(approximate: str) -> None:
    reference = "\\sin 78.95^{\\circ} \\approx 0.981"
    assert equal("\\sin 78.95^\\circ \\approx 0.981", reference)
    assert not equal(f"\\sin 78.95^\\circ \\approx {approximate}", reference)


@pytest.mark.parametrize("reference", ALPHABETS)
def test_signs_of_unicode_are_those_of_latex(reference: str) -> None:
    for other, spellings in ALPHABETS.items():
        for written in spellings:
            assert equal(written, reference) is (other == reference), written


@pytest.mark.parametrize("verifier", ["math", "numeric"])
@pytest.mark.parametrize(
    "said",
    ["It is half of {}", "So he has twice {}", "a third of {}", "the square of {}", "So it is {} squared", "{} dozen"],
)
def test_words_that_make_another_number_of_a_value_deny_it(verifier: str, said: str) -> None:
    def judged(response: str) -> Outcome:
        return registry.create(verifier, {}).verify([Sample(response=response, reference="15")])[0].outcome

    assert judged(said.format(15)) is not Outcome.CORRECT
    assert judged(f"{said.format(7)} plus 1, which is 15") is Outcome.CORRECT
    assert judged(f"We double it: 15 ({verifier})") is Outcome.CORRECT


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("abs(x) = abs(y)", "x = y"),
        ("abs(y) = abs(2x)", "y = 2x"),
        ("\\sqrt{y^2} = 2x", "y = 2x"),
        ("|x| < |y|", "x < y"),
        ("\\sqrt{(x-y)^2} = 1", "x - y = 1"),
    ],
)
def test_an_equation_that_holds_of_positive_numbers_alone_is_another(answer: str, reference: str) -> None:
    for one, other in ((answer, reference), (reference, answer)):
        assert not equal(one, other), one


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("y = \\sqrt{4x}", "2\\sqrt{x} = y"),
        ("\\ln(xy) = \\ln 3", "\\ln(x)+\\ln(y) = \\ln 3"),
        ("\\sqrt{xy} = 1", "\\sqrt{x}\\sqrt{y} = 1"),
    ],
)
def test_an_equation_is_compared_where_both_have_values(answer: str, reference: str) -> None:
    assert equal(answer, reference)
