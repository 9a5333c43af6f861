"""Rewrites of a number keep its value exactly, mutations change it by more than the subject tolerates."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from audits.metamorphic.amount import format_decimal, read_amount, read_number
from audits.metamorphic.catalogue import TRANSFORMATIONS
from audits.metamorphic.decimals import DECIMALS
from audits.metamorphic.digits import DIGIT_MUTATIONS
from audits.metamorphic.integers import INTEGERS
from audits.metamorphic.quotients import FRACTIONS, read_fraction
from audits.metamorphic.transformation import Reader
from audits.metamorphic.variants import task_of
from tests.audits.metamorphic.asking import applied, over_seeds
from trueward.wire.sample import Sample

numerals = st.from_regex(re.compile(r"-?(0|[1-9][0-9]{0,9})(\.[0-9]{1,6})?", re.ASCII), fullmatch=True)
quotients = st.tuples(st.integers(-999, 999), st.integers(1, 999)).map(lambda pair: f"{pair[0]}/{pair[1]}")


def worth(answer: str) -> Fraction:
    """The value of an answer by rules of the test's own: no code of the transformations takes part."""
    text = answer.replace("{,}", "").replace(",", "").replace("\u202f", "").replace("−", "-").strip("$")
    text = re.sub(r"^x = |\\mathbf\{(.*)\}$", lambda found: found[1] or "", text).rstrip(".").removeprefix("+")
    text = re.sub(r" \\times 10\^\{(-?\d+)\}$", r"e\1", text)
    if text.endswith("\\%"):
        return worth(text[:-2]) / 100
    part = re.fullmatch(r"(-?)(\d*)\\d?frac(?:\{(-?\d+)\}\{(\d+)\}|(\d)(\d))", text)
    if part is None:
        return Fraction(text)
    value = int(part[2] or 0) + Fraction(int(part[3] or part[5]), int(part[4] or part[6]))
    return -value if part[1] else value


@given(numerals | quotients, st.integers(0, 9))
def test_every_rewrite_keeps_the_value_and_every_mutation_breaks_it(reference: str, seed: int) -> None:
    task = task_of(Sample(reference=reference), Reader("numeric"))
    for each in (*INTEGERS, *DECIMALS, *FRACTIONS, *DIGIT_MUTATIONS):
        answer = each.apply(task, seed)
        if answer is not None:
            assert (worth(answer) == Fraction(reference)) != each.breaks, (each.name, answer)


@pytest.mark.parametrize(
    ("name", "reference", "answer"),
    [
        ("integer_grouped", "1234567", "1,234,567"),
        ("integer_grouped", "-1234", "-1,234"),
        ("integer_grouped", "999", None),
        ("integer_grouped", 1234, "1,234"),
        ("integer_plain", "1,234", "1234"),
        ("integer_scientific", "1200", r"1.2 \times 10^{3}"),
        ("integer_scientific", "1205", None),
        ("integer_plus", "-5", None),
        ("integer_thin_spaces", "1234", None),
        ("number_minus_sign", "-5", "−5"),
        ("decimal_leading_zero", "0.5", ".5"),
        ("decimal_leading_zero", "1.5", None),
        ("decimal_fraction", "0.125", r"\frac{1}{8}"),
        ("decimal_fraction", "2.0", None),
        ("decimal_percent", "0.25", r"25\%"),
        ("decimal_percent", "1.25", None),
        ("decimal_scientific", "0.0012", r"1.2 \times 10^{-3}"),
        ("decimal_scientific", "0.0", None),
        ("fraction_braceless", "5/6", r"\frac56"),
        ("fraction_braceless", "15/6", None),
        ("fraction_decimal", "5/8", "0.625"),
        ("fraction_decimal", "1/3", None),
        ("fraction_mixed", r"-\frac{7}{2}", r"-3\frac{1}{2}"),
        ("fraction_mixed", "4/2", None),
        ("fraction_sign_inside", "-5/6", r"\frac{-5}{6}"),
        ("fraction_frac", "5/0", None),
        ("integer_point_zero", "007", None),
        ("integer_point_zero", "12 apples", None),
        ("integer_point_zero", "٣", None),
    ],
)
def test_rewrites(name: str, reference: str, answer: str | None) -> None:
    assert applied(name, reference) == answer


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("digits_swapped", "11"),
        ("digits_swapped", "10"),
        ("sign_flipped", "0"),
        ("sign_flipped", "0.00"),
        ("digit_dropped", "7"),
        ("digit_dropped", "3.1"),
        ("point_moved", "0"),
        ("fraction_inverted", "3/3"),
        ("fraction_inverted", "-3/3"),
        ("fraction_inverted", "0/4"),
        ("fraction_negated", "0/4"),
        ("fraction_cut", "5/1"),
        ("fraction_denominator_changed", "0/4"),
        ("digit_changed", ["12", "13"]),
    ],
)
def test_a_mutation_that_would_not_break_it_does_not_fit(name: str, reference: JsonValue) -> None:
    assert over_seeds(name, reference) == {None}


def test_a_mutation_goes_beyond_what_the_subject_tolerates() -> None:
    assert over_seeds("off_by_one", "1000") == {"999", "1001"}
    assert over_seeds("off_by_one", "1000", "numeric", relative_tolerance=0.01) == {None}
    assert over_seeds("off_by_one", "1000", "numeric", absolute_tolerance=1) == {None}
    coarse = over_seeds("digit_changed", "3.14", "numeric", relative_tolerance=0.1)
    assert coarse <= {"3.84", "3.94", *(f"{first}.14" for first in "012456789")}
    assert over_seeds("off_by_one", "7", "math", decimal_places=0) == {None}


@pytest.mark.parametrize("reference", ["x = 12", r"\$12", "12%", "12°", r"12^\circ", r"12\text{ cm}", "12 apples"])
def test_what_is_dressed_stays_dressed(reference: str) -> None:
    assert applied("sign_flipped", reference) == reference.replace("12", "-12")
    assert applied("digits_swapped", reference) == reference.replace("12", "21")


def test_the_same_seed_gives_the_same_mutant() -> None:
    assert len({applied("digit_changed", "123456", seed=3) for _ in range(5)}) == 1
    assert len(over_seeds("digit_changed", "123456")) > 5


def test_numbers_are_read_whole_or_not_at_all() -> None:
    assert read_number("1,2345") is None
    assert read_number("1e5") is None
    assert read_number("9" * 10_000) is None
    assert read_fraction("1/2/3") is None
    amount = read_amount("$1,234.50")
    assert amount is not None
    assert (amount.before, amount.number.value, amount.after) == ("$", Fraction(2469, 2), "")


def test_only_what_ends_is_written_as_a_decimal() -> None:
    assert [format_decimal(Fraction(*pair)) for pair in ((5, 8), (-1, 20), (1, 3), (7, 1), (1, 10**9))] == [
        "0.625",
        "-0.05",
        None,
        "7",
        None,
    ]


def test_names_are_unique_and_say_what_they_do() -> None:
    assert len({each.name for each in TRANSFORMATIONS}) == len(TRANSFORMATIONS)
    assert all(each.rewrite.__doc__ for each in TRANSFORMATIONS)
