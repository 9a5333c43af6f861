"""Answers of one short piece over and over: none takes long to read, whatever its reference is like."""

from __future__ import annotations

import time
from itertools import product

import pytest

from trueward import Sample, Verdict
from verifiers.choice import ChoiceVerifier
from verifiers.items import items
from verifiers.math import MathVerifier

PIECES = (
    "H", "A ", "A B ", "I, V ", " ,", ", ", "A, ", "1 4 ", "and ", "A and ", "(", "{", "1_", "1,", "- ", "x=",
    "a: ", "II",
    "\\text{a} ", "5 m ", "a b ", "I ",
    "A\\land ", "一百", "drei", "0,1 ", "( ",
    "^2", "\\{", "Aa", "A_1", "3p^1", "->",
)  # fmt: skip
REFERENCES = (
    "H_2O", "A, B", "I, II", "IV", "0.75", "3", "1, 2, 3", "(1, 2)", "[0, 1)", "x=1", "f(x)=x", "5 \\text{ cm}",
    "p\\land q", "\\text{Yes}", "\\text{no solution}", "\\{1, 2\\}", "\\begin{pmatrix}1\\\\2\\end{pmatrix}",
    "March 3, 2024", "2x+3",
)  # fmt: skip
ENDS = ("", "!", "A", "}", "B", " 1")


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("times", [24, 400])
def test_a_piece_over_and_over_is_soon_read(piece: str, times: int) -> None:
    for reference, end in product(REFERENCES, ENDS):
        sample = Sample(response=f"\\boxed{{{piece * times}{end}}}", reference=reference)
        started = time.process_time()
        MathVerifier().triage(sample)
        assert time.process_time() - started < 1, (reference, end)


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("times", [24, 400])
def test_letters_over_and_over_are_soon_read(piece: str, times: int) -> None:
    for begins, end, reference in product(("", "not A", "A"), ENDS, ("B", "AC")):
        sample = Sample(response=f"Answer: {begins}{piece * times} - {end}", reference=reference)
        started = time.process_time()
        (verdict,) = ChoiceVerifier().verify([sample])
        assert time.process_time() - started < 1, (begins, end, reference)
        assert isinstance(verdict, Verdict)


@pytest.mark.parametrize(
    "piece", [".", ". ", "…", "\\dots ", "-", "- ", " ", "|", "| ", "| - ", ":-", "/", "a/", "|a|\n|-|\n"]
)
@pytest.mark.parametrize("start", ["a, b", "|a|\n", "|a|\n|-", "", "a/b"])
def test_lists_of_pieces_are_soon_read(piece: str, start: str) -> None:
    for end in ("", "x", "|", "x|", ".", "\n|b|"):
        started = time.process_time()
        items(start + piece * 20_000 + end, lambda text: False)
        assert time.process_time() - started < 1, end
