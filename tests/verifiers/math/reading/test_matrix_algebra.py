"""An expression of matrices is the matrix that it comes to, and no other."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier

VERIFIER = MathVerifier()
Rows = list[list[int]]
ENTRIES = st.integers(-9, 9)
SQUARES = st.lists(st.lists(ENTRIES, min_size=2, max_size=2), min_size=2, max_size=2)


def written(rows: Rows, name: str = "pmatrix") -> str:
    return f"\\begin{{{name}}}" + "\\\\".join("&".join(map(str, row)) for row in rows) + f"\\end{{{name}}}"


def added(one: Rows, other: Rows, factor: int = 1) -> Rows:
    return [[a + factor * b for a, b in zip(*rows, strict=True)] for rows in zip(one, other, strict=True)]


def times(one: Rows, other: Rows) -> Rows:
    columns = list(zip(*other, strict=True))
    return [[sum(a * b for a, b in zip(row, column, strict=True)) for column in columns] for row in one]


def outcome(reference: str, answer: str, prompt: str = "?") -> Outcome:
    [verdict] = VERIFIER.verify([Sample(prompt=prompt, response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


@given(
    one=SQUARES, other=SQUARES, third=SQUARES, factor=st.integers(2, 9), name=st.sampled_from(["pmatrix", "bmatrix"])
)
def test_an_expression_is_the_matrix_it_comes_to(one: Rows, other: Rows, third: Rows, factor: int, name: str) -> None:
    a, b, c = (written(rows, name) for rows in (one, other, third))
    turned = [list(row) for row in zip(*other, strict=True)]
    for answer, value in (
        (f"{a}+{b}", added(one, other)),
        (f"{a}-{factor}{b}", added(one, other, -factor)),
        (f"-{a}+{factor}\\cdot{b}", added(added(one, one, -2), other, factor)),
        (f"{a}{b}", times(one, other)),
        (f"{a}\\cdot{b}+{c}", added(times(one, other), third)),
        (f"{c}-{a}{b}", added(third, times(one, other), -1)),
        (f"{a}^2", times(one, one)),
        (f"{a}+{b}^T", added(one, turned)),
        (f"{a}\\cdot({-factor})", added(added(one, one, -1), one, -factor)),
    ):
        assert outcome(written(value), answer) is Outcome.CORRECT, answer
        wrong = [[value[0][0] + 1, *value[0][1:]], *value[1:]]
        assert outcome(written(wrong), answer) is not Outcome.CORRECT, answer


@given(one=SQUARES, other=SQUARES)
def test_a_product_has_an_order(one: Rows, other: Rows) -> None:
    assume(times(one, other) != times(other, one))
    assert outcome(written(times(one, other)), written(other) + written(one)) is not Outcome.CORRECT


@pytest.mark.parametrize(
    "answer",
    [
        "2(\\begin{pmatrix}1\\\\2\\end{pmatrix}+\\begin{pmatrix}1\\\\1\\end{pmatrix})",
        "\\begin{pmatrix}3\\\\5\\end{pmatrix}+\\begin{pmatrix}0&0\\end{pmatrix}",
        "\\begin{pmatrix}3\\\\5\\end{pmatrix}, \\begin{pmatrix}3\\\\5\\end{pmatrix}",
        "\\begin{pmatrix}3\\\\5\\end{pmatrix}\\begin{pmatrix}1\\\\1\\end{pmatrix}",
        "\\begin{pmatrix}3\\\\5\\end{pmatrix}+0",
        "\\begin{pmatrix}3\\\\5\\end{pmatrix} or \\begin{pmatrix}3\\\\6\\end{pmatrix}",
    ],
)
def test_what_is_no_such_expression_is_not_guessed(answer: str) -> None:
    assert outcome("\\begin{pmatrix}3\\\\5\\end{pmatrix}", answer) is not Outcome.CORRECT


def test_a_line_is_its_point_and_direction() -> None:
    answer = "\\begin{pmatrix}1\\\\3\\end{pmatrix}+t\\begin{pmatrix}2\\\\-1\\end{pmatrix}"
    prompt = "Which vectors are on the line through (1, 3) along \\begin{pmatrix}2\\\\-1\\end{pmatrix}?"
    assert outcome("\\begin{pmatrix}1+2t\\\\3-t\\end{pmatrix}", answer, prompt) is Outcome.CORRECT
    assert outcome("\\begin{pmatrix}1+2t\\\\3+t\\end{pmatrix}", answer, prompt) is Outcome.INCORRECT


@pytest.mark.parametrize("answer", ["{a}+{b}", "{b}+{a}", "{a}+1\\cdot{b}", "{a} + ({b})"])
def test_a_question_about_matrices_is_not_answered_by_it(answer: str) -> None:
    a, b = written([[1, 2], [3, 4]]), written([[3, 4], [5, 6]])
    said = answer.format(a=a, b=b)
    assert outcome(written([[4, 6], [8, 10]]), said) is Outcome.CORRECT
    for prompt in (f"Compute ${a}+{b}$.", f"Let A = ${a}$ and B = ${b}$. Find the matrix A + B."):
        assert outcome(written([[4, 6], [8, 10]]), said, prompt) is Outcome.INCORRECT
        assert outcome(written([[4, 6], [8, 10]]), written([[4, 6], [8, 10]]), prompt) is Outcome.CORRECT


@pytest.mark.parametrize(
    "piece", ["\\begin{pmatrix}", "\\begin{pmatrix}1\\\\", "\\begin{pmatrix}1\\end{pmatrix}+", "&", "(\\begin"]
)
def test_matrices_without_end_take_no_time(piece: str) -> None:
    started = time.process_time()
    assert outcome("\\begin{pmatrix}3\\\\5\\end{pmatrix}", piece * (9_000 // len(piece))) is not Outcome.CORRECT
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("reference", "answer", "equal"),
    [
        ("(a) 5 (b) 7", "a) 5 b) 7", True),
        ("5; 7; 9", "1) 5 2) 7 3) 9", True),
        ("(a) 5 (b) 7", "a) 7 b) 5", False),
        ("7", "(1)*(1)+(2)*(3)", True),
        ("10", "(1)*(2)+(2)*(4)", True),
        ("2; 8", "(1)*(2)+(2)*(4)", False),
    ],
)
def test_a_product_of_brackets_counts_no_answers(reference: str, answer: str, equal: bool) -> None:
    assert (outcome(reference, answer) is Outcome.CORRECT) is equal
