"""Sets of real numbers: one region in many notations, and the algebra of unions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.types import Sample, Verdict
from verifiers.math import MathVerifier
from verifiers.math.interval import Region, same
from verifiers.math.region import region
from verifiers.math.surface import plain


def read(text: str) -> Region:
    found = region(plain(text))
    assert found is not None, text
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x>3", "(3,\\infty)"),
        ("1<x\\le 3", "(1,3]"),
        ("|x|\\ge 2", "(-\\infty,-2]\\cup[2,\\infty)"),
        ("x\\ne 2", "(-\\infty,2)\\cup(2,\\infty)"),
        ("\\mathbb{R}\\setminus\\{2\\}", "x \\neq 2"),
        ("[1,2]\\cup[2,3]", "[1,3]"),
        ("(1,3)\\setminus\\{2\\}", "(1,2)\\cup(2,3)"),
        ("x>1, x<3", "(1,3)"),
        ("x<1, x>3", "(3,\\infty)\\cup(-\\infty,1)"),
    ],
)
def test_one_region_in_two_notations(one: str, other: str) -> None:
    assert same(read(one), read(other)) is True
    assert same(read(other), read(one)) is True


@pytest.mark.parametrize("answer", ["x > -11 or x > -61", "x > -91 ; x > -61 ; x > -11", "x < 5, x > -11, x > 3"])
def test_bounds_listed_from_the_same_side_are_no_answer(answer: str) -> None:
    for reference in ("x > -11", "x > -61", "(-11, 5)", "3 < x < 5"):
        found = MathVerifier().triage(Sample(response=f"\\boxed{{{answer}}}", reference=reference))
        assert isinstance(found, Verdict)
        assert (found.outcome, found.reason_code) == ("incorrect", "unequal_region")


ENDS = st.integers(-9, 9)


@st.composite
def intervals(draw: st.DrawFn) -> str:
    low = draw(ENDS)
    high = draw(st.integers(low, 10))
    return f"{draw(st.sampled_from('(['))}{low},{high}{draw(st.sampled_from(')]'))}"


@given(intervals(), intervals(), intervals())
def test_unions_have_no_order(one: str, other: str, third: str) -> None:
    assert same(read(f"{one}\\cup {other}\\cup {third}"), read(f"{third}\\cup {one}\\cup {other}")) is True


@given(intervals(), intervals())
def test_a_region_without_another_is_at_most_in_two_pieces(one: str, other: str) -> None:
    kept = read(f"{one}\\setminus {other}")
    assert len(kept) <= 2
    assert same(read(f"{one}\\setminus {one}"), []) is True


@given(ENDS, ENDS)
def test_a_moved_end_makes_another_region(one: int, other: int) -> None:
    assert same(read(f"x>{one}"), read(f"x>{other}")) is (one == other)
    assert same(read(f"x>{one}"), read(f"x\\ge {one}")) is False
