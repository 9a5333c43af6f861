"""Comparing what has parts: pieces of a function, each with its condition."""

from __future__ import annotations

import pytest

from trueward.wire.sample import Sample
from verifiers.math import MathVerifier


def cases(*pieces: str) -> str:
    return "\\begin{cases}" + "\\\\".join(pieces) + "\\end{cases}"


REFERENCE = cases("x & x>1", "2x & x<0")


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (REFERENCE, "correct"),
        (cases("2x & x<0", "x & x>1"), "correct"),
        (cases("x & x>1", "3x & x<0"), "incorrect"),
        (cases("x & x>1", "2x & x<-1"), "incorrect"),
    ],
)
def test_pieces_are_matched_by_their_conditions(answer: str, outcome: str) -> None:
    assert MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=REFERENCE)])[0].outcome == outcome


def test_a_piece_answers_for_one_piece_alone() -> None:
    reference, answer = cases("x & x>1", "x & x>1"), cases("x & x>1", "2x & x<0")
    assert (
        MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])[0].outcome == "incorrect"
    )
