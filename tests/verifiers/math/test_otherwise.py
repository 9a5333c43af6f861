"""Other readings of an answer: what its reference leaves no doubt about, and what is near to it and something else."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier

VERIFIER = MathVerifier()


def equal(answer: str, reference: str, prompt: str | None = None) -> bool:
    [verdict] = VERIFIER.verify([Sample(prompt=prompt, response=f"\\boxed{{{answer}}}", reference=reference)])
    assert verdict.score is not None
    return verdict.outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("reference", "same", "other"),
    [
        ("3", ["drei", "trois", "tres", "tre", "três", "三", "\\text{drei}"],
         ["deux", "zwei", "due", "二", "III", "dos"]),
        ("21", ["einundzwanzig", "vingt et un", "veintiuno", "ventuno", "vinte e um", "二十一"], ["vingt", "十二"]),
        ("8", ["otto"], ["Anna", "sieben"]),
        ("Otto", ["Otto"], ["8"]),
        ("IV", ["IV", "4", "\\text{IV}"], ["VI", "6", "IV, 4, 6", "4.5"]),
        ("V", ["V"], ["5"]),
        ("0.75", ["0,75", "0,750", "\\frac{3}{4}"], ["0,57", "0,7", "0, 75", "(0,75)", "\\{0,75\\}", "0;75"]),
        ("3.5", ["3,5", "3,50"], ["3,6", "3, 5", "35", "5,3"]),
        ("1.234", ["1,2340"], ["1,234", "1234"]),
        ("3.5\\text{ cm}", ["3,5\\text{ cm}", "3,5 cm"], ["3,5\\text{ m}", "3,5 cm^2", "3,6 cm"]),
        ("12.5\\%", ["12,5\\%", "12,5 %"], ["1,25\\%"]),
        ("3", ["3.0"], ["3,0", "3,3"]),
        ("3,5", ["3,5", "3, 5", "5,3"], ["3.5"]),
        ("(3,5)", ["(3,5)"], ["3.5"]),
        ("1, 4, 9, 16", ["1 4 9 16", "16 9 4 1"], ["1 4 9", "1 4 9 15", "14916", "1 4 9 1 6"]),
        ("(1, 4, 9)", ["(1, 4, 9)"], ["9 4 1"]),
        ("\\frac{11}{4}", ["2 and 3/4", "2 \\text{ and } \\frac{3}{4}", "2\\frac34"],
         ["2 or 3/4", "2, 3/4", "2 and 4/3"]),
        ("2, \\frac{3}{4}", ["2 and 3/4"], ["\\frac{11}{4}", "2\\frac{3}{4}"]),
    ],
)  # fmt: skip
def test_a_reading_that_its_reference_leaves_no_doubt_of(reference: str, same: list[str], other: list[str]) -> None:
    for answer in same:
        assert equal(answer, reference), answer
    for answer in other:
        assert not equal(answer, reference), answer


@given(whole=st.integers(0, 10**6), places=st.text("0123456789", min_size=1, max_size=6), other=st.integers(1, 9))
def test_a_decimal_comma_is_a_point_where_it_sets_no_thousands_apart(whole: int, places: str, other: int) -> None:
    assume(int(places) and not places.endswith("0"))
    reference = f"{whole}.{places}"
    assert equal(f"{whole},{places}", reference) is (whole == 0 or len(places) != 3)
    assert not equal(f"{whole},{places}{other}", reference)
    assert not equal(reference, f"{whole},{places}")


@pytest.mark.parametrize(
    "said",
    ["There are {} apples.", "She has {} apples left", "So the total is {} apples", "The sum of the numbers is {}.",
     "The train takes {} hours.", "The probability of this is {}", "Anna is {} years old."],
)  # fmt: skip
def test_a_sentence_in_a_box_says_its_one_value(said: str) -> None:
    answer = f"\\text{{{said.format(5)}}}"
    assert equal(answer, "5")
    assert not equal(answer, "6")
    assert not equal(answer, "50")


@pytest.mark.parametrize(
    "said",
    ["There are not 5 apples", "It is less than 5 apples", "There are 5 apples and 3 pears", "She ate 5 of 7 apples",
     "At least 5 apples", "The answer is no more than 5", "It could be 5", "There are 5 or 6 apples", "Step 5 is wrong",
     "Write 5 as a decimal", "Round 5 to the nearest ten", "What is 5 in binary", "Exercise 5",
     "There are 5 thousand apples", "The answer is about 5", "It is 5 squared", "Half of 5",
     "There were 5 apples before",
     "The answer is 5 divided by x", "Is it 5?", "It is not true that there are 5 apples", "Version 1.5.5 is it",
     "The answer is between 5 apples", "I doubt it is 5", "There are -5 apples", "The ratio is 5:1"],
)  # fmt: skip
def test_a_sentence_whose_value_is_not_clear_says_none(said: str) -> None:
    assert not equal(f"\\text{{{said}}}", "5")


@given(digits=st.integers(10, 10**6), base=st.integers(2, 9))
def test_digits_of_a_base_are_their_value_and_bare_ones_unless_a_question_names_none(digits: int, base: int) -> None:
    written = "".join(str(int(digit) % base) for digit in str(digits)).lstrip("0")
    assume(len(written) > 1)
    signed = f"{written}_{{{base}}}"
    assert equal(signed, str(int(written, base)))
    assert equal(signed, written)
    assert not equal(signed, written, "What is the largest one?")
    assert equal(signed, written, f"Write the number in base {base}.")
    assert equal(written, signed)


def test_a_prefix_of_a_base_is_no_decoration() -> None:
    assert equal("0x12", "18")
    assert not equal("0x12", "12")
    assert equal("0x12", "12", "Give the sum in hexadecimal.")


def test_a_year_lacks_only_where_the_question_has_it() -> None:
    assert equal("July 4", "July 4, 1776", "On which day of 1776 was it signed?")
    assert not equal("July 4", "July 4, 1776", "When was it signed?")
    assert equal("July 4, 1776", "July 4", "When is it celebrated?")
    assert not equal("July 5", "July 4, 1776", "On which day of 1776 was it signed?")


@pytest.mark.parametrize(
    "name", ["f: x\\mapsto ", "x\\mapsto ", "f:\\mathbb{R}\\to\\mathbb{R}, x\\mapsto ", "f : x ↦ "]
)
def test_a_function_is_what_it_maps_to(name: str) -> None:
    assert equal(name + "x^2+1", "x^2+1")
    assert equal(name + "x^2+1", "f(x)=x^2+1")
    assert not equal(name + "x^2+2", "x^2+1")
    assert not equal(name + "x^2+1", "g(t)=t^2")


def test_a_function_on_a_part_says_so() -> None:
    assert not equal("f:[0,1]\\to\\mathbb{R}, x\\mapsto x^2", "f:[0,2]\\to\\mathbb{R}, x\\mapsto x^2")
    assert not equal("g: x\\mapsto x^2", "f(x)=x^2")


M = "\\begin{pmatrix}%d&%d\\\\%d&%d\\end{pmatrix}"


@given(ours=st.tuples(*[st.integers(-9, 9)] * 4), theirs=st.tuples(*[st.integers(-9, 9)] * 4), wrong=st.integers(1, 3))
def test_a_chain_of_matrices_is_its_last_where_all_are_the_same(
    ours: tuple[int, ...], theirs: tuple[int, ...], wrong: int
) -> None:
    result = tuple(a + b for a, b in zip(ours, theirs, strict=True))
    other = (result[0] + wrong, *result[1:])
    for name in ("", "A+B=", "C="):
        assert equal(f"{name}{M % ours}+{M % theirs}={M % result}", M % result)
        assert not equal(f"{name}{M % ours}+{M % theirs}={M % other}", M % result)
        assert not equal(f"{name}{M % ours}+{M % theirs}={M % other}", M % other)
    assert equal(f"A+B={M % result}", M % result)
    assert not equal(f"A+B={M % other}", M % result)
    assert not equal(f"A+B={M % result}", f"A={M % result}")


@given(one=st.integers(-50, 50), other=st.integers(-50, 50))
def test_the_least_and_the_greatest_of_a_set(one: int, other: int) -> None:
    for setting in (f"\\{{{one}, {other}\\}}", f"\\left\\{{{one},{other}\\right\\}}", f"({one},{other})"):
        assert equal(f"\\min{setting}", str(min(one, other)))
        assert equal(f"\\max{setting}", str(max(one, other)))
        assert one == other or not equal(f"\\max{setting}", str(min(one, other)))
