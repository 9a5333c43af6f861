r"""Infinite families of numbers: what they are, when they are the same, what is none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifiers.math.solutions.family import Family, family, holds, same


def read(text: str) -> Family:
    found = family(text)
    assert found is not None, text
    return found


WHOLE = st.integers(-50, 50)
PERIODS = st.integers(1, 30)


@given(WHOLE, PERIODS, WHOLE, st.sampled_from("kmn"), st.booleans())
def test_moving_the_offset_by_periods_and_turning_the_parameter_changes_nothing(
    offset: int, period: int, turns: int, name: str, backwards: bool
) -> None:
    one = read(f"x \\equiv {offset} \\pmod{{{period}}}")
    sign = "-" if backwards else ""
    other = read(f"{sign}{period}{name} + ({offset + turns * period}), {name} \\in \\mathbb{{Z}}")
    assert same(one, other)


@given(WHOLE, PERIODS, WHOLE, PERIODS)
def test_two_classes_are_the_same_where_their_members_are(one: int, m: int, other: int, n: int) -> None:
    members = [{x for x in range(-900, 900) if (x - offset) % period == 0} for offset, period in ((one, m), (other, n))]
    found = same(read(f"{one} \\pmod{{{m}}}"), read(f"{other} \\pmod{{{n}}}"))
    assert found == (members[0] == members[1])


@given(PERIODS, st.integers(2, 6))
def test_a_class_is_the_union_of_the_classes_that_it_splits_into(period: int, parts: int) -> None:
    split = ", ".join(f"{period * place}" for place in range(parts))
    assert same(read(f"0 \\pmod{{{period}}}"), read(f"{split} \\pmod{{{period * parts}}}"))
    lacking = ", ".join(f"{period * place}" for place in range(parts - 1))
    assert same(read(f"0 \\pmod{{{period}}}"), read(f"{lacking} \\pmod{{{period * parts}}}")) is False


def test_angles_in_degrees_are_angles_in_radians() -> None:
    assert same(read("45°+180°k, k\\in\\mathbb{Z}"), read("\\frac{\\pi}{4}+k\\pi, k\\in\\mathbb{Z}"))


def test_a_number_names_a_class_by_its_least_member_or_as_it_was_written() -> None:
    assert [holds(read("10 \\pmod 7"), Fraction(number)) for number in (3, 10, 17, -4)] == [True, True, False, False]


def test_too_many_progressions_are_not_written_out() -> None:
    assert same(read("0 \\pmod{999999999989}"), read("0, 1 \\pmod{999999999961}")) is None


@pytest.mark.parametrize(
    "text",
    [
        "x + 1",
        "k",
        "k^2, k \\in \\mathbb{Z}",
        "5, k \\in \\mathbb{Z}",
        "x \\equiv \\pmod 7",
        "kn, k \\in \\mathbb{Z}, n \\in \\mathbb{Z}",
    ],
)
def test_what_is_no_family(text: str) -> None:
    assert family(text) is None or text == "k"


@given(st.text(alphabet="0123456789knx+-=,;\\pi mod()equivinZ{}for where", max_size=80))
def test_any_text_is_read_or_not_and_equals_itself(text: str) -> None:
    found = family(text)
    if found is not None:
        assert same(found, found) is not False
