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
        ("\\mathrm{Fe^{3+}}", ["Fe³⁺", "\\ce{Fe^3+}"], ["Fe²⁺", "Fe³⁻"]),
        ("2H_2+O_2\\to2H_2O", ["\\ce{2H2 + O2 -> 2H2O}", "O_2+2H_2\\rightarrow2H_2O"],
         ["2H_2O\\to2H_2+O_2", "\\ce{2H2O -> 2H2 + O2}", "H_2+O_2\\to H_2O", "2H_2+O_2"]),
        ("1s^22s^22p^6", ["1s^2 2s^2 2p^6", "1s^{2}\\,2s^{2}\\,2p^{6}"], ["1s^22s^22p^5", "1s^22s^22p^6 3s^1"]),
        ("[Ar]3d^{10}4s^1", ["[Ar]4s^13d^{10}", "[\\text{Ar}]\\,3d^{10}\\,4s^1"],
         ["[Ar]3d^{1}4s^{10}", "[Kr]3d^{10}4s^1"]),
        ("sp^3", ["\\text{sp}^3", "\\mathrm{sp^3}"], ["\\text{sp}^2", "\\text{sp}"]),
        ("pH=4.76", ["4.76", "\\text{pH}=4.76"], ["\\text{pOH}=4.76", "pOH=4.76"]),
        ("\\text{CO}", ["CO", "\\mathrm{CO}"], ["Co", "\\text{Co}"]),
        ("\\frac{GMm}{r^2}", ["G\\frac{Mm}{r^2}", "F=\\frac{GmM}{r^2}"], ["\\frac{gMm}{r^2}", "\\frac{GMM}{r^2}"]),
        ("0.10\\text{ M}", ["0.10\\text{ mol/L}", "0.1 M", "0.10\\,\\mathrm{mol\\,L^{-1}}", "100\\text{ mmol/L}"],
         ["0.10\\text{ m}", "0.10\\text{ mmol/L}", "0.10\\text{ mol}"]),
        ("500\\text{ nm}", ["0.5\\ \\mu\\text{m}", "0.5\\,\\mu\\mathrm{m}", "0.5\\ \\mathrm{\\mu m}"],
         ["0.5\\text{ mm}", "5\\,\\mu\\text{m}"]),
        ("10\\ \\Omega", ["0.01\\text{ k}\\Omega", "0.01\\,\\mathrm{k\\Omega}", "10\\text{ ohms}"],
         ["10\\text{ k}\\Omega", "10\\text{ M}\\Omega"]),
        ("25^\\circ\\text{C}", ["25\\text{ degrees Celsius}", "25 °C"], ["25\\text{ degrees Fahrenheit}"]),
        ("\\$1,250.50", ["\\text{US}\\$1{,}250.50", "US\\$1250.50"], ["\\text{US}\\$1{,}250.05"]),
        ("p=0.03", ["p\\text{-value}=0.03", "\\text{p-value}=0.03"], ["p\\text{-value}=0.3", "q=0.03"]),
        ("N(0,1)", ["\\mathcal{N}(0,1)", "\\mathcal N(0, 1)"], ["\\mathcal{N}(1,0)"]),
        ("p\\land\\neg q", ["p \\land \\sim q", "\\lnot q\\wedge p", "(\\neg q)\\land p"],
         ["\\neg p\\land q", "\\sim p\\land q", "p\\lor\\neg q", "\\neg(p\\land q)"]),
        ("p\\to q", ["p\\implies q", "p\\Rightarrow q"], ["q\\to p", "q\\implies p", "\\neg q\\to\\neg p"]),
        ("(p\\land q)\\to r", ["(q\\land p)\\implies r"],
         ["p\\land(q\\to r)", "(p\\to q)\\land r", "(r\\land q)\\to p"]),
        ("\\langle1,2,3\\rangle", ["\\vec{AB}=(1,2,3)", "\\overrightarrow{AB}=\\langle1,2,3\\rangle"],
         ["\\vec{AB}=(3,2,1)"]),
        ("\\vec{AB}=(1,2)", ["(1,2)", "\\overrightarrow{AB}=(1,2)"], ["\\vec{BA}=(1,2)", "\\vec{CD}=(1,2)"]),
        ("3\\hat{i}-4\\hat{j}", ["3\\hat{\\textbf{i}}-4\\hat{\\textbf{j}}"],
         ["3\\hat{\\textbf{j}}-4\\hat{\\textbf{i}}"]),
        ("\\angle ABC=60^\\circ", ["\\angle CBA=60^\\circ", "m\\angle ABC = 60^\\circ"],
         ["\\angle BAC=60^\\circ", "\\angle ACB=60^\\circ", "\\angle CBA=30^\\circ"]),
        ("[0,\\infty)", ["\\text{all nonnegative real numbers}", "\\text{all non-negative reals}" ],
         ["\\text{all positive real numbers}", "\\text{all nonpositive real numbers}"]),
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
