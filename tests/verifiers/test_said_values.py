"""The value that plain words give to a formula, the mark of a derivative, and decimals as programs print them."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward import Sample, Verdict
from verifiers.math.verifier import MathVerifier

_VERIFIER = MathVerifier()


def judged(response: str, reference: str) -> Verdict:
    return _VERIFIER.verify([Sample(response=response, reference=reference)])[0]


def outcome(response: str, reference: str) -> str:
    return str(judged(response, reference).outcome)


_NAMES = ["$n$", "\\(N\\)", "$f(x)$", "$ABCD$", "$\\triangle ABC$"]
_LEADS = ["Final Answer: The greatest {} ", "So the length of {} ", "**Answer:** The value of {} ", "Thus {} "]


@given(
    st.sampled_from(_LEADS),
    st.sampled_from(_NAMES),
    st.sampled_from(["is {}", "is **{}**", "equals {}", "is therefore {}", "must be {}", "is {} apples"]),
    st.integers(-500, 5_000),
    st.sampled_from([".", "", "!", ". I hope it is correct."]),
)
def test_a_formula_without_a_value_has_the_one_that_the_words_behind_it_say(
    lead: str, name: str, says: str, value: int, end: str
) -> None:
    response = lead.format(name) + says.format(value) + end
    assert outcome(response, str(value)) == "correct", response
    assert outcome(response, str(value + 1)) != "correct", response


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("The number of solutions of $x^2 = 4$ is 2.", "2"),
        ("The probability that $X = 2$ is 3/4.", "3/4"),
        ("So $P(A)$ is 50%.", "0.5"),
        ("The value of $x$ is 12.5.", "12.5"),
        ("Hence $x = 5$, which is 3 more than 2.", "5"),
        ("The answer is $ab$ where $a$ is 3.", "ab"),
        ("The solution of $2x = 8$ is $x = 4$.", "4"),
    ],
)
def test_a_formula_that_says_a_value_keeps_it_unless_the_sentence_gives_another(response: str, reference: str) -> None:
    assert outcome(response, reference) == "correct"


@pytest.mark.parametrize(
    ("response", "reference"),
    [
        ("We have 5 apples since $x$ is 3.", "3"),
        ("So $n$ is not 12.", "12"),
        ("Hence $x = 5$ is 1 solution.", "1"),
        ("The value of $y$ is 3 times larger.", "3"),
        ("The value of $y$ is 3 or more.", "3"),
    ],
)
def test_a_condition_or_comparison_gives_a_formula_no_value(response: str, reference: str) -> None:
    assert outcome(response, reference) != "correct"


@pytest.mark.parametrize("written", ["The answer is ${}$.", "So we get ${}$.", "\\boxed{{{}}}"])
@pytest.mark.parametrize("letter", ["f", "E", "A"])
def test_the_mark_of_a_derivative_is_no_quotation_mark(written: str, letter: str) -> None:
    assert outcome(written.format(letter + "'"), letter + "'") == "correct"
    assert outcome(written.format(letter + "'"), letter) != "correct"


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 400), st.integers(1, 60))
def test_a_number_is_the_double_that_a_program_prints_for_it(radicand: int, factor: int) -> None:
    if math.isqrt(radicand) ** 2 == radicand:
        return
    printed = repr(factor * math.sqrt(radicand))
    if len(printed.replace(".", "")) < 16:
        return
    answer = f"\\boxed{{\\sqrt{{{radicand * factor**2}}}}}"
    near = printed[:-2] + str((int(printed[-2]) + 5) % 10) + printed[-1]
    assert outcome(answer, near) != "correct", near
    exact = repr(math.sqrt(radicand * factor**2))
    assert len(exact.replace(".", "")) < 16 or outcome(answer, exact) == "correct", exact


@pytest.mark.parametrize("places", range(2, 31))
def test_a_decimal_of_any_length_accepts_what_rounds_to_it(places: int) -> None:
    root = math.isqrt(2 * 10 ** (2 * places + 2))  # one digit more
    rounded = Fraction(root + 5, 10) // 1
    written = f"1.{str(rounded)[1:]}"
    assert len(written) == places + 2
    assert outcome("\\boxed{\\sqrt{2}}", written) == "correct"
    assert outcome("\\boxed{\\sqrt{2}}", f"1.{str(rounded + 3)[1:]}") != "correct"


@given(st.lists(st.integers(0, 999), min_size=1, max_size=4), st.integers(1, 99), st.sampled_from([",\\!", ",\\! "]))
def test_groups_of_digits_set_close_together_are_one_number(groups: list[int], first: int, comma: str) -> None:
    digits = [str(first), *(f"{group:03d}" for group in groups)]
    assert outcome(f"\\boxed{{{comma.join(digits)}}}", "".join(digits)) == "correct"
    assert outcome("\\boxed{1" + f"{comma.join(digits)}}}", "".join(digits)) != "correct"


def test_groups_of_two_digits_set_close_together_are_one_number_where_another_group_follows() -> None:
    assert outcome("\\boxed{12,\\!34,\\!56,\\!789}", "123456789") == "correct"
    assert outcome("\\boxed{12,\\!34}", "1234") != "correct"


_APPLIED = ["cos", "sin", "tan", "sec", "exp", "abs", "arctan", "cosh", "log", "det", "rank", "dim"]


@pytest.mark.parametrize("name", _APPLIED)
@pytest.mark.parametrize(
    "written", ["{n} {f}({x})", "{n} \\text{{{f}}}({x})", "{n}\\operatorname{{{f}}}({x})", "{n}*{f}({x})"]
)
def test_a_function_of_a_letter_behind_a_number_is_no_noun(name: str, written: str) -> None:
    for number, letter in (("3", "x"), ("5", "A"), ("0.5", "t")):
        product = written.format(n=number, f=name, x=letter)
        assert outcome(f"\\boxed{{{product}}}", number) != "correct", product
        assert outcome(f"\\boxed{{{number}}}", product) != "correct", product


def test_what_is_counted_may_have_its_plural_in_brackets() -> None:
    for said in ("3 ball(s)", "3 box(es)", "3 (balls)", "3\\text{ ball(s)}", "3 \\text{cm}"):
        assert outcome(f"\\boxed{{{said}}}", "3") == "correct", said
        assert outcome(f"\\boxed{{{said}}}", "4") == "incorrect", said


@pytest.mark.parametrize("name", ["theta", "phi", "alpha", "beta", "lambda", "omega", "epsilon", "Delta"])
def test_plain_text_spells_greek_letters(name: str) -> None:
    for plain, latex in (("cos({})", "\\cos\\{}"), ("2*{} + 1", "1 + 2\\{}"), ("r*sin({})^2", "r\\sin^2\\{}")):
        spelled, set_as_mathematics = plain.replace("{}", name), latex.replace("{}", name)
        assert outcome(f"\\boxed{{{set_as_mathematics}}}", spelled) == "correct", spelled
        assert outcome(f"\\boxed{{{spelled}}}", set_as_mathematics) == "correct", spelled
        assert outcome(f"\\boxed{{{set_as_mathematics} + 1}}", spelled) != "correct", spelled


def test_the_name_of_a_greek_letter_alone_is_a_word() -> None:
    assert outcome("The answer is Beta.", "beta") == "correct"
    assert outcome("The answer is gamma.", "beta") == "incorrect"
    assert outcome("\\boxed{\\text{beta decay}}", "alpha decay") == "incorrect"


def test_a_remainder_is_a_task_and_its_value() -> None:
    assert outcome("$17 \\bmod 5 = 2$", "2") == "correct"
    assert outcome("\\boxed{2^{10} \\bmod 7 = 2}", "2") == "correct"
    assert outcome("$17 \\bmod 5 = 2$", "5") != "correct"


def test_percent_in_words_at_the_end_is_a_hundredth() -> None:
    for said in ("So it is 28 percent.", "It rose by 28 per cent.", "28 percent"):
        assert outcome(said, "0.28") == "correct", said
        assert outcome(said, "28\\%") == "correct", said
        assert outcome(said, "0.29") != "correct", said


def test_a_power_of_a_negative_number_is_compared_at_whole_exponents() -> None:
    assert outcome("\\boxed{(-1)^n\\cos^n x}", "(-\\cos x)^n") == "correct"
    assert outcome("\\boxed{(-1)^n\\sin^n x}", "(-\\cos x)^n") != "correct"


@pytest.mark.parametrize("name", ["x", "A", "theta", "epsilon"])
def test_an_index_may_stand_in_square_brackets_behind_a_plain_name(name: str) -> None:
    latex = name if len(name) == 1 else f"\\{name}"
    for index in "013":
        reference = f"2*{name}[{index}] + 1"
        assert outcome(f"\\boxed{{2{latex}_{{{index}}} + 1}}", reference) == "correct", reference
        assert outcome(f"\\boxed{{2{latex}_{{7}} + 1}}", reference) != "correct", reference
    assert outcome("\\boxed{2}", "\\sqrt[3]{8}") == "correct"


def test_a_decimal_before_a_fraction_is_no_mixed_number() -> None:
    for whole, outcomes in (("11", "correct"), ("11.0", "other"), ("11.5", "other")):
        for fraction in (" 4/9", "\\frac{4}{9}"):
            found = outcome(f"\\boxed{{{whole}{fraction}}}", "103/9")
            assert (found == "correct") == (outcomes == "correct"), whole + fraction
