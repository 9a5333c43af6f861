"""Sums over an index are equal where their terms are, whatever the index is called and wherever it begins."""

from __future__ import annotations

import time

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier, endless

VERIFIER = MathVerifier()


def outcome(reference: str, answer: str) -> Outcome:
    [verdict] = VERIFIER.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


@settings(max_examples=40)
@given(
    scale=st.integers(1, 4),
    first=st.integers(0, 3),
    shift=st.integers(-3, 3),
    factor=st.integers(2, 5),
    sign=st.sampled_from(["", "(-1)^{INDEX}"]),
    letter=st.sampled_from("kmj"),
    last=st.sampled_from(["\\infty", "N"]),
)
def test_a_sum_begins_at_any_index(
    scale: int, first: int, shift: int, factor: int, sign: str, letter: str, last: str
) -> None:
    def term(index: str, numerator: str) -> str:
        return f"\\frac{{{numerator}{sign.replace('INDEX', index)}x^{{{scale}({index})}}}}{{({index}+4)!}}"

    reference = f"\\sum_{{n={first}}}^{{{last}}} {factor}\\cdot{term('n', '')}"
    end = last if last == "\\infty" else f"N-({shift})"
    moved = f"{letter}+({shift})"
    answer = f"{factor}\\sum_{{{letter}={first - shift}}}^{{{end}}} {term(moved, '')}"
    assert outcome(reference, answer) is Outcome.CORRECT, answer
    for wrong in (
        f"{factor}\\sum_{{{letter}={first - shift + 1}}}^{{{end}}} {term(moved, '')}",
        f"{factor}\\sum_{{{letter}={first - shift}}}^{{{end}}} {term(moved, '2')}",
        f"{factor + 1}\\sum_{{{letter}={first - shift}}}^{{{end}}} {term(moved, '')}",
        f"-{answer}",
        f"{answer} + 1",
        f"{factor}\\sum_{{{letter}={first - shift}}}^{{7}} {term(moved, '')}",
    ):
        assert outcome(reference, wrong) is not Outcome.CORRECT, wrong


@pytest.mark.parametrize(
    ("reference", "answer", "equal"),
    [
        ("\\sum_{n=0}^\\infty 3^nx^n", "\\sum_{k\\ge0}(3x)^k", True),
        ("\\sum_{n=0}^\\infty(-1)^n\\frac{(x-1)^n}{n!}", "\\sum_{n=0}^\\infty\\frac{(1-x)^n}{n!}", True),
        ("\\sum_{n=1}^{N} nx^n", "\\sum_{k=0}^{N-1} (k+1)x^{k+1}", True),
        ("\\sum_{n=1}^{N} nx^n", "\\sum_{k=0}^{N-1} kx^{k+1}", False),
        ("\\sum_{i=1}^n a_ib_i", "\\sum_{k=1}^n a_kb_k", True),
        ("\\sum_{i=1}^n a_ib_i", "\\sum_{k=1}^n a_kb_n", False),
        ("\\sum_{k=0}^n a_k", "\\sum_{k=1}^{n+1} a_k", False),
        ("\\sum_{k=0}^\\infty a_kx^k", "\\sum_{k=1}^\\infty a_kx^{k-1}", False),
        ("\\sum_{n=0}^\\infty 3^nx^n", "\\sum_{n=0}^\\infty 3x^n", False),
        ("\\sum_{n=0}^\\infty x^n+1", "\\sum_{n=0}^\\infty (x^n+1)", False),
        ("\\sum_{k=1}^n k", "\\sum_{k=1}^n n", False),
        ("\\sum_{n=0}^\\infty \\frac{x^n}{n!}", "\\sum_{n=0}^\\infty \\frac{x^n}{n!} \\text{ or } 1", False),
        ("y=\\sum_{n=0}^\\infty x^n", "z=\\sum_{k=0}^\\infty x^k", False),
    ],
)
def test_terms_decide(reference: str, answer: str, equal: bool) -> None:
    assert (outcome(reference, answer) is Outcome.CORRECT) is equal


@pytest.mark.parametrize("piece", ["\\sum_{n=0}^\\infty ", "(", "n!", "x^{", "n^", "\\frac{"])
def test_sums_without_end_take_no_time(piece: str) -> None:
    started = time.process_time()
    answer = "\\sum_{n=0}^{\\infty} n! " + piece * (9_000 // len(piece))
    assert outcome("\\sum_{n=0}^{\\infty} \\frac{x^n}{n!}", answer) is not Outcome.CORRECT
    assert time.process_time() - started < 3


@pytest.mark.parametrize(
    ("reference", "same", "other"),
    [
        ("\\sum_{i=1}^{n} x_i",
         ["\\sum_{k=1}^n x_k", "x_1+\\sum_{k=2}^n x_k"], ["n x_i", "n x_n", "\\sum_{i=1}^n x_n"]),
        ("\\sum_{i=1}^n x_iy_i", ["\\sum_{k=1}^n y_kx_k"],
         ["n x_i y_i", "x_i\\sum_{i=1}^n y_i", "\\sum_{i=1}^n x_i \\sum_{i=1}^n y_i"]),
        ("\\sum_{i=1}^{n} x_i^2 - \\frac{1}{n}\\left(\\sum_{i=1}^n x_i\\right)^2",
         ["\\sum_{k=1}^{n} x_k^2 - \\frac{\\left(\\sum_{k=1}^n x_k\\right)^2}{n}"], ["0", "n x_i^2 - n x_i^2"]),
        ("\\prod_{i=1}^{n} a_i", ["\\prod_{k=1}^n a_k"], ["a_i^n", "\\sum_{i=1}^n a_i"]),
        ("\\frac{1}{n}\\sum_{i=1}^n x_i", ["\\frac{\\sum_{k=1}^{n}x_k}{n}"],
         ["x_i", "\\frac{1}{n+1}\\sum_{i=1}^n x_i"]),
        ("\\sum_{i=1}^{3} a_i", ["a_1+a_2+a_3"], ["3a_i", "a_1+a_2", "a_0+a_1+a_2"]),
        ("\\sum_{k=0}^{n} a_kb_{n-k}", ["\\sum_{k=0}^n a_{n-k}b_k"], ["\\sum_{k=0}^n a_kb_k", "n a_kb_{n-k}"]),
        ("\\sum_{i=1}^{n}\\sum_{j=1}^m a_{ij}", ["\\sum_{j=1}^m\\sum_{i=1}^n a_{ij}"],
         ["nma_{ij}", "\\sum_{j=1}^n\\sum_{i=1}^m a_{ij}"]),
        ("2\\sum_{i=1}^n a_i+3", ["3+\\sum_{k=1}^n 2a_k"], ["\\sum_{k=1}^n (2a_k+3)", "2na_i+3"]),
        ("2^n-n-1", ["\\sum_{k=2}^{n}\\binom{n}{k}"],
         ["\\sum_{k=1}^{n}\\binom{n}{k}", "\\sum_{k=3}^{n}\\binom{n}{k}"]),
    ],
)  # fmt: skip
def test_a_letter_with_an_index_is_another_number_for_each_index(
    reference: str, same: list[str], other: list[str]
) -> None:
    for answer in same:
        assert outcome(reference, answer) is Outcome.CORRECT, answer
    for answer in other:
        assert outcome(reference, answer) is not Outcome.CORRECT, answer
        assert outcome(answer, reference) is not Outcome.CORRECT, answer


@pytest.mark.parametrize(
    "answer",
    [
        "\\sum_{n=1}^{10^{9}} a_n", "\\prod_{k=1}^{n^{5}} a_k^{k}", "\\sum_{k=1}^{n!} a_k",
        "\\sum_{k=1}^{60}\\sum_{j=1}^{60}\\sum_{l=1}^{60} a_{k}a_j a_l", "\\sum_{k=1}^{n}\\sum_{j=1}^{k^{k}} a_j",
    ],
)  # fmt: skip
def test_terms_of_letters_with_an_index_are_written_out_within_bounds(answer: str) -> None:
    start = time.process_time()
    for reference in ("\\frac{5}{6}", "\\sum_{k=1}^n a_k"):
        assert outcome(reference, answer) is not Outcome.CORRECT
    assert time.process_time() - start < 3


@pytest.mark.parametrize(
    ("reference", "answer", "told"),
    [
        # too many terms for the reference beside itself: ours
        ("\\sum_{i=1}^{500} a_i", "a_1+\\sum_{k=2}^{500} a_k", Outcome.ABSTAINED),
        ("\\sum_{i=1}^{500} a_i", "\\sum_{k=1}^{499} a_k", Outcome.ABSTAINED),
        ("\\sum_{i=1}^{500} a_i", "500a_i", Outcome.INCORRECT),
        ("\\sum_{i=1}^{500} a_i", "5", Outcome.INCORRECT),
        # the reference can be worked out, and the answer cannot
        ("\\sum_{i=1}^{2n} a_i", "\\sum_{i=1}^{n} a_i+\\sum_{i=n+1}^{2n} a_i", Outcome.INVALID),
    ],
)
def test_sums_that_are_not_worked_out_are_undecided_or_the_answers_own_doing(
    reference: str, answer: str, told: Outcome
) -> None:
    assert outcome(reference, answer) is told


@pytest.mark.parametrize(
    ("reference", "answer", "told"),
    [
        ("e^x-1", "\\sum_{n=1}^\\infty \\frac{x^n}{n!}", Outcome.CORRECT),
        ("e^x", "\\sum_{n=1}^\\infty \\frac{x^n}{n!}", Outcome.INCORRECT),
        ("\\sum_{n=1}^\\infty nx^n", "\\frac{x}{(1-x)^2}", Outcome.CORRECT),
        ("\\sum_{n=1}^\\infty nx^n", "\\frac{x}{1-x}", Outcome.INCORRECT),
        ("\\sum_{n=0}^\\infty n!x^n", "\\sum_{n=0}^\\infty x^n", Outcome.INCORRECT),
        # the answer alone cannot be worked out
        ("e^x", "\\sum_{n=1}^\\infty \\frac{x^n}{(n!)!}", Outcome.INVALID),
        # a sum that ends is no series, however many terms it has
        ("\\sum_{n=0}^\\infty \\frac{1}{n!}", "\\sum_{n=0}^{60} \\frac{1}{n!}", Outcome.INCORRECT),
        ("\\sum_{n=0}^\\infty \\frac{x^n}{n!}", "\\sum_{n=0}^{60} \\frac{x^n}{n!}", Outcome.INCORRECT),
        # letters with an index are unrelated numbers
        ("\\sum_{n=0}^\\infty a_{n+1}x^{n+1}", "\\sum_{n=1}^\\infty a_nx^n", Outcome.CORRECT),
        ("\\sum_{n=0}^\\infty a_nx^n", "\\sum_{n=1}^\\infty a_nx^n", Outcome.INCORRECT),
        ("\\sum_{n=0}^\\infty a_nx^n", "a_0+\\sum_{n=1}^\\infty a_nx^n", Outcome.CORRECT),
        ("a_0\\sum_{m=0}^\\infty (m+1)x^{2m}+a_1x", "a_0\\sum_{m=0}^\\infty (m+2)x^{2m}+a_1x", Outcome.INCORRECT),
        # of no exact value: partial sums refute, and prove nothing
        ("\\sum_{n=1}^\\infty \\frac{\\sin(nx)}{n^3}", "\\sum_{n=1}^\\infty \\frac{\\cos(nx)}{n^3}", Outcome.INCORRECT),
        (
            "\\sum_{n=1}^\\infty \\frac{\\cos(nx)}{n^3}",
            "\\sum_{n=0}^\\infty \\frac{\\cos((n+1)x)}{(1+n)^3}+0",
            Outcome.ABSTAINED,
        ),
        # no answer buys an open question by a series of its own that hardly converges
        ("\\sum_{n=1}^\\infty \\frac{1}{n^2}", "\\sum_{n=2}^\\infty \\frac{1}{n\\ln^2 n}", Outcome.INVALID),
        ("\\sum_{n=1}^\\infty \\frac{1}{n^2}", "\\sum_{n=1}^\\infty \\frac{(-1)^n}{\\ln(n+1)}", Outcome.INVALID),
        ("\\sum_{n=1}^\\infty \\frac{\\cos n}{n^3}", "\\sum_{n=1}^\\infty \\frac{1}{n^{1.01}}", Outcome.INVALID),
    ],
)
def test_series_by_their_values(reference: str, answer: str, told: Outcome) -> None:
    assert outcome(reference, answer) is told


@pytest.mark.parametrize("term", ["exit(n)", "f(n)", "f(n)/n**2", "zeta(n)/n**3"])
def test_terms_with_more_than_numbers_become_no_code(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("code was made of an answer")

    monkeypatch.setattr(sympy, "lambdify", refused)
    n = sympy.Symbol("n")
    named = {name: sympy.Function(name) for name in ("exit", "f")}
    series = sympy.Sum(sympy.sympify(term, locals={**named, "n": n}), (n, 1, sympy.oo))
    assert not endless.has_values(series)


@pytest.mark.parametrize("term", ["2", "10^{30}", "\\pi", "e^x", "\\sqrt{2}", "-1"])
@pytest.mark.parametrize("operation", ["\\sum", "\\prod"])
def test_one_term_for_ever_is_told_at_once(operation: str, term: str) -> None:
    """Its digits were looked for, for half a minute."""
    answer = f"{operation}_{{k=1}}^{{\\infty}} {term}"
    outcome("\\int x dx", "\\sqrt[3]{x}")  # the algebra system is loaded
    began = time.process_time()
    for reference in ("1030", "x^2", "\\frac{1}{8}", "\\log_2(x) - \\log_3 y"):
        assert outcome(reference, answer) is Outcome.INCORRECT, reference
    assert time.process_time() - began < 4
    assert outcome(answer.replace("k=", "n="), answer) is Outcome.CORRECT
    assert outcome(f"{operation}_{{k=1}}^{{n}} {term}", answer) is not Outcome.CORRECT
