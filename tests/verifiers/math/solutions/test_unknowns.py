"""Objects of another kind that are made of the same two numbers are other answers, in whatever notation."""

from __future__ import annotations

from itertools import permutations

import pytest

from trueward import Outcome, Sample
from verifiers.math import MathVerifier

MATH = MathVerifier()
NUMBERS = [("2", "5"), ("-1", "\\frac{1}{2}"), ("\\ln 2", "e^2")]
KINDS: dict[str, tuple[str, ...]] = {
    "values of one unknown": ("x={a},x={b}", "x={a}, {b}", "x={b}\\text{{ or }}x={a}", "x \\in \\{{{a},{b}\\}}"),
    "one value each": ("x={a},y={b}", "(x,y)=({a},{b})", "x={a}\\text{{ and }}y={b}", "x={a} \\quad y={b}"),
    "the values exchanged": ("x={b},y={a}", "(x,y)=({b},{a})", "y={a},x={b}"),
    "either of two": ("x={a}\\text{{ or }}y={b}", "y={b}\\text{{ or }}x={a}"),
    "between": ("{a}<x<{b}", "\\{{x : {a}<x<{b}\\}}", "x>{a}\\text{{ and }}x<{b}"),
    "between, with both": ("[{a},{b}]", "{a} \\le x \\le {b}"),
    "between, with one": ("[{a},{b})", "{a} \\le x<{b}"),
    "bounds of two unknowns": ("x>{a},y<{b}", "y<{b},x>{a}"),
    "outside": ("x<{a}\\text{{ or }}x>{b}", "(-\\infty,{a})\\cup({b},\\infty)", "x \\notin [{a},{b}]"),
    "all but two": ("x \\ne {a},{b}", "\\mathbb{{R}}\\setminus\\{{{a},{b}\\}}"),
    "a matrix": ("\\begin{{pmatrix}}{a}&{b}\\\\{a}&{b}\\end{{pmatrix}}",),
    "its entries": ("{a},{b},{a},{b}",),
    "sets in a set": ("\\{{\\{{{a}\\}},\\{{{b}\\}}\\}}",),
    "a complex number": ("{a}+({b})i",),
    "a sum": ("3+{a}+({b})",),
    "a quotient": ("\\frac{{{a}}}{{{b}}}",),
    "a ratio of three": ("{a}:{b}:1",),
    "a point in space": ("({a},{b},0)",),
    "an equation": ("x+y={a}",),
}


def equal(answer: str, reference: str) -> bool:
    (verdict,) = MATH.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome is Outcome.CORRECT


@pytest.mark.parametrize(("one", "other"), [*permutations(KINDS, 2)])
def test_what_is_of_another_kind_is_another_answer(one: str, other: str) -> None:
    for a, b in NUMBERS:
        for answer in KINDS[one]:
            for reference in KINDS[other]:
                assert not equal(answer.format(a=a, b=b), reference.format(a=a, b=b)), (answer, reference)


@pytest.mark.parametrize(
    "kind", ["values of one unknown", "one value each", "the values exchanged", "between", "outside", "all but two"]
)
def test_one_kind_is_equal_in_each_of_its_notations(kind: str) -> None:
    for a, b in NUMBERS:
        for answer, reference in permutations(KINDS[kind], 2):
            assert equal(answer.format(a=a, b=b), reference.format(a=a, b=b)), (answer, reference)


@pytest.mark.parametrize(("a", "b"), NUMBERS)
def test_values_without_names_stand_in_the_order_of_the_unknowns(a: str, b: str) -> None:
    for reference in (f"x={a},y={b}", f"x={a}\\text{{ and }}y={b}", f"\\text{{length}} = {a}, \\text{{width}} = {b}"):
        assert equal(f"{a},{b}", reference)
        assert not equal(f"{b},{a}", reference)
        assert not equal(f"{a}\\text{{ or }}{b}", reference)
    for reference in (f"x={a}, {b}", f"x={a},x={b}", f"\\{{{a},{b}\\}}"):
        assert equal(f"{b},{a}", reference)
    assert equal(f"y={b}, x={a}", f"({a},{b})")
