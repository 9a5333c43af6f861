"""Forms that people and models write besides the common ones, each with what is near to it and something else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier
from verifiers.quantity import QuantityVerifier

VERIFIER = MathVerifier()


def outcome(reference: str, answer: str) -> Outcome:
    [verdict] = VERIFIER.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


@pytest.mark.parametrize(
    ("reference", "equal", "other"),
    [
        ("5050", ["C(101,2)", "101 choose 2", "\\text{101 choose 2}"], ["C(101,3)", "C(2,101)", "102 choose 2"]),
        ("120", ["P(6,3)", "C(10,3)"], ["P(3,6)", "(6,3)", "C(6,3)"]),
        ("(101,2)", ["C(101,2)", "P(101,2)"], ["101 choose 2", "5050", "(2,101)"]),
        ("2^{n+1}-2", ["2^{n+1}-2, n\\ge1", "2^{n+1}-2 \\text{ for } n \\ge 0", "2^{n+1}-2, n\\in\\mathbb{N}"],
         ["2^{n+1}-2, n\\ge5", "2^{n+1}-2, n\\le1", "2^{n+1}-1, n\\ge1", "2^{n+1}-2, n=1"]),
        ("k\\pi, k\\in\\mathbb{Z}", ["n\\pi, n\\in\\mathbb{Z}"], ["k\\pi, k\\in\\mathbb{N}", "k\\pi, k\\ge0"]),
        ("\\infty", ["\\to\\infty", "\\rightarrow+\\infty", "\\text{positive infinity}"],
         ["\\to-\\infty", "\\text{negative infinity}", "x\\to\\infty"]),
        ("-\\infty", ["\\to-\\infty", "\\text{negative infinity}"], ["\\to\\infty", "\\text{positive infinity}"]),
        ("36^\\circ 30'", ["36 degrees 30 minutes", "36°30′", "36º30′00″", "36\\text{ degrees and }30\\text{ minutes}"],
         ["36 degrees 31 minutes", "30 degrees 36 minutes", "36°50′"]),
        ("45^\\circ", ["45º", "45˚", "\\frac{\\pi}{4}"], ["54º", "45'"]),
        ("\\frac{\\pi}{6}", ["30^\\circ", "\\frac{\\pi}{6}"], ["\\frac{\\pi}{6}^\\circ", "30"]),
        ("\\text{no solution}", ["\\text{There are no solutions}", "\\text{The equation has no real solution.}",
         "\\{\\}", "\\text{no such } x \\text{ exists}", "\\text{the empty set}"],
         ["\\text{no negative solutions}", "\\text{no other solution}", "0", "\\text{no solution or } 1"]),
        ("(3,4)", ["3i+4j", "4j+3i"], ["4i+3j", "3i+4k", "3+4j", "3i-4j", "12ij"]),
        ("(1,-2,3)", ["i-2j+3k"], ["i+2j+3k", "i-2j"]),
        ("\\$5,000,000", ["5 million dollars", "5\\text{ million dollars}", "\\$5 million"],
         ["5 million euros", "5 billion dollars", "5 thousand dollars"]),
        ("320000", ["3,2\\times10^5", "3.2\\text{ x }10^5", "3,20\\cdot10^5"], ["3, 2\\times10^5", "3,2,10^5"]),
        ("\\frac{2}{7}", ["²⁄₇", "²/₇"], ["⁷⁄₂", "²₇"]),
        ("A\\cup B", ["A\\bigcup B"], ["A\\bigcap B"]),
        ("(-\\infty,2)\\cup(5,\\infty)", ["(-\\infty,2)\\bigcup(5,\\infty)"], ["(-\\infty,2)\\bigcap(5,\\infty)"]),
        ("e^x", ["\\sum_{n\\ge0}\\frac{x^n}{n!}"], ["\\sum_{n\\ge1}\\frac{x^n}{n!}"]),
        ("3:5", ["3∶5", "3\\colon5"], ["5∶3", "5\\colon3"]),
        ("2\\text{ h }5\\text{ min}", ["2h5m", "2h 5m", "2\\text{ hrs and }5\\text{ mins}"], ["2h50m", "5h2m", "2m"]),
        ("(2,\\frac{\\pi}{3})", ["(r,\\theta)=(2,\\frac{\\pi}{3})", "(r;\\theta)=(2;\\frac{\\pi}{3})"],
         ["(\\theta,r)=(2,\\frac{\\pi}{3})", "(r,\\theta)=(\\frac{\\pi}{3},2)"]),
        ("(1,-2)", ["(x;y)=(1;-2)"], ["(y;x)=(1;-2)"]),
        ("110_2", ["110_{(2)}", "110_{(\\text{two})}"], ["110_{(3)}"]),
        ("x=3\\text{ or }x=-2", ["x=3 ∨ x=-2", "x=3\\vee x=-2"], ["x=3 ∧ x=-2", "x=3 ∨ x=2"]),
    ],
)  # fmt: skip
def test_a_form_is_read_and_what_is_near_to_it_is_not(reference: str, equal: list[str], other: list[str]) -> None:
    for answer in equal:
        assert outcome(reference, answer) is Outcome.CORRECT, answer
    for answer in other:
        assert outcome(reference, answer) is not Outcome.CORRECT, answer


@given(degrees=st.integers(0, 359), minutes=st.integers(0, 59), other=st.integers(0, 59))
def test_degrees_and_minutes_in_words_and_signs(degrees: int, minutes: int, other: int) -> None:
    reference = f"{degrees}^\\circ {minutes}'"
    for written in (f"{degrees}°{other}′", f"{degrees} degrees {other} minutes", f"{degrees}º {other}'"):
        assert (outcome(reference, written) is Outcome.CORRECT) == (minutes == other)


@given(number=st.integers(1, 999), group=st.integers(0, 999))
def test_a_quantity_reads_thousands_set_apart(number: int, group: int) -> None:
    for apart in ("{,}", "\\,", " ", "\u202f", ","):
        [verdict] = QuantityVerifier().verify(
            [
                Sample(
                    response=f"\\boxed{{{number}{apart}{group:03}\\text{{ m}}}}", reference=f"{1000 * number + group} m"
                )
            ]
        )
        assert verdict.outcome is Outcome.CORRECT, apart


@pytest.mark.parametrize("answer", ["4 100 km", "4 1000 m", "4, 100 m", "1 00 m", "100 000 000 m"])
def test_other_blanks_set_no_thousands_apart(answer: str) -> None:
    [verdict] = QuantityVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference="100 m")])
    assert verdict.outcome is not Outcome.CORRECT
