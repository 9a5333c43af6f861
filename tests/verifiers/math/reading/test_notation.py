"""Formulas that nothing evaluates: in another spelling they are equal, with another sign unequal and never open."""

from __future__ import annotations

from random import Random

import pytest

from trueward import Outcome, Sample
from verifiers.math import MathVerifier
from verifiers.math.reading.notation import formula, same_signs, signs

FORMULAS = (
    "A \\cup B",
    "(A \\cap B) \\setminus C",
    "\\mathbb{Z}_2",
    "\\mathbb{Z}_2 \\times \\mathbb{Z}_4",
    "\\mathbb{R}^{2}",
    "\\mathbb{Q}(\\sqrt{2})",
    "p \\land q \\to r",
    "\\neg p \\lor q",
    "AB \\parallel CD",
    "\\mathrm{Fe}^{2+}",
    "2H_2 + O_2 \\to 2H_2O",
    "1 + x + \\frac{x^2}{2} + \\cdots",
    "y_1 = x^{1/3}(1 - x + \\cdots)",
)
RESPELLED = (
    ("\\cup", " \\cup "),
    ("\\land", "\\wedge"),
    ("\\lor", "\\vee"),
    ("\\to", "\\rightarrow"),
    ("\\neg", "\\lnot"),
    ("\\setminus", "\\backslash"),
    ("\\cdots", "\\ldots"),
    ("\\mathbb{", "\\mathbb {"),
    ("\\frac", "\\dfrac"),
    ("(", "\\left("),
    (")", "\\right)"),
)
BROKEN = ("\\frac{1}{", "A \\cup", "x^{", "5 +", "\\int", "(A \\cap B", "p \\to")
CHANGES = {"A": "C", "B": "D", "p": "s", "q": "s", "2": "3", "4": "5", "x": "z", "\\cup": "\\cap", "\\land": "\\lor"}


def judged(answer: str, reference: str) -> Outcome:
    (verdict,) = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


@pytest.mark.parametrize("written", FORMULAS)
def test_another_spelling_is_equal(written: str) -> None:
    respelled = written
    for one, other in RESPELLED:
        respelled = respelled.replace(one, other)
    assert judged(respelled, written) is Outcome.CORRECT


@pytest.mark.parametrize("written", FORMULAS)
def test_one_other_sign_is_unequal_and_never_open(written: str) -> None:
    changed = [written.replace(one, other, 1) for one, other in CHANGES.items() if one in signs(written)]
    assert changed
    for answer in (*changed, "5", "x", f"{written} + 1"):
        assert judged(answer, written) in (Outcome.INCORRECT, Outcome.INVALID), answer


@pytest.mark.parametrize("written", BROKEN)
def test_a_broken_reference_is_the_callers(written: str) -> None:
    assert not formula(written)
    assert judged("2y", written) is Outcome.ABSTAINED


def test_operands_that_may_be_exchanged_are() -> None:
    assert judged("B \\cap A", "A \\cap B") is Outcome.CORRECT
    assert judged("(C \\cup B) \\cap A", "A \\cap (C \\cup B)") is Outcome.CORRECT
    assert judged("B \\setminus A", "A \\setminus B") is Outcome.INCORRECT
    assert judged("q \\to p", "p \\to q") is Outcome.INCORRECT


@pytest.mark.parametrize("seed", range(20))
def test_no_shuffle_of_signs_is_ever_equal_to_what_it_is_not(seed: int) -> None:
    dice = Random(seed)
    written = dice.choice(FORMULAS)
    parts = signs(written)
    dropped = dice.randrange(len(parts))
    found = same_signs(" ".join(parts[:dropped] + parts[dropped + 1 :]), written)
    assert found is not None
    assert not found.equal


def test_angles_are_named_by_their_vertex_triangles_by_their_points() -> None:
    assert judged("\\angle CBA", "\\angle ABC") is Outcome.CORRECT
    assert judged("\\angle ACB", "\\angle ABC") is Outcome.INCORRECT
    assert judged("\\triangle CAB", "\\triangle ABC") is Outcome.CORRECT
    assert judged("\\triangle ABD", "\\triangle ABC") is Outcome.INCORRECT
