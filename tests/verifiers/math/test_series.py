"""Sums over an index are equal where their terms are, whatever the index is called and wherever it begins."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier

VERIFIER = MathVerifier()


def outcome(reference: str, answer: str) -> Outcome:
    [verdict] = VERIFIER.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


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
