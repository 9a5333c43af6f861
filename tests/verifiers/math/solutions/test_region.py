"""Sets of real numbers: one region in many notations, and the algebra of unions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.math import MathVerifier
from verifiers.math.reading.surface import plain
from verifiers.math.solutions.interval import Region, same, union
from verifiers.math.solutions.region import is_redundant, region


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(x<-1 and x>-4) or (x>1 and x<4)", "(-4,-1)\\cup(1,4)"),
        ("(x<0 or x\\ge 2) and x\\le 5", "(-\\infty,0)\\cup[2,5]"),
        ("x<0 or (x\\ge 2 and x\\le 5)", "x<0 or 2\\le x\\le 5"),
        ("((x>1) \\text{ and } (x<2))", "(1,2)"),
        ("(x<1) or (x>2)", "x\\notin[1,2]"),
        ("(x-1)(x-2)<0 or x>5", "(1,2)\\cup(5,\\infty)"),
        ("7>x and 1<x", "(1,7)"),
        ("-3<x and x<3", "|x|<3"),
        ("-3>x or x>3", "|x|>3"),
    ],
)
def test_conditions_are_joined_as_their_brackets_say(one: str, other: str) -> None:
    assert same(read(one), read(other)) is True
    assert same(read(f"({one}) and (x>0.25 and x<0.5)"), read(other)) is False


@pytest.mark.parametrize("text", ["(x>1 and x<2", "x>1) or (x<2", "(" * 50 + "x>1" + ")" * 50])
def test_brackets_that_do_not_close_or_are_too_many_are_no_region(text: str) -> None:
    assert region(plain(text)) is None


@pytest.mark.parametrize("answer", ["x > -11 or x > -61", "x > -91 ; x > -61 ; x > -11", "x < 5, x > -11, x > 3"])
def test_bounds_listed_from_the_same_side_are_no_answer(answer: str) -> None:
    for reference in ("x > -11", "x > -61", "(-11, 5)", "3 < x < 5"):
        found = MathVerifier().triage(Sample(response=f"\\boxed{{{answer}}}", reference=reference))
        assert isinstance(found, Verdict)
        assert (found.outcome, found.reason_code) == ("incorrect", "unequal_region")


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("(3,\\infty) \\text{ or } (9,\\infty)", "(3,\\infty)"),
        ("(9,\\infty)\\cup(3,\\infty)", "x > 3"),
        ("[1,2]\\cup[0,5]\\cup\\{1\\}", "[0,5]"),
        ("x>3 or x>9", "(3,\\infty)"),
    ],
)
def test_a_union_of_which_one_part_has_all_is_no_answer(answer: str, reference: str) -> None:
    found = MathVerifier().triage(Sample(response=f"\\boxed{{{answer}}}", reference=reference))
    assert isinstance(found, Verdict)
    assert (found.outcome, found.reason_code) == ("incorrect", "unequal_region")


@pytest.mark.parametrize("answer", ["(3,\\infty)\\cup(9,\\infty)", "(3,\\infty)"])
def test_a_reference_may_be_written_so(answer: str) -> None:
    found = MathVerifier().triage(Sample(response=f"\\boxed{{{answer}}}", reference="(3,\\infty)\\cup(9,\\infty)"))
    assert isinstance(found, Verdict)
    assert found.outcome == "correct"


@pytest.mark.parametrize("answer", ["[1,2]\\cup[2,3]", "[1,2)\\cup\\{2\\}\\cup(2,3]"])
def test_parts_that_only_touch_are_one_region(answer: str) -> None:
    found = MathVerifier().triage(Sample(response=f"\\boxed{{{answer}}}", reference="[1,3]"))
    assert isinstance(found, Verdict)
    assert found.outcome == "correct"


ENDS = st.integers(-9, 9)


@st.composite
def intervals(draw: st.DrawFn) -> str:
    low = draw(ENDS)
    high = draw(st.integers(low, 10))
    return f"{draw(st.sampled_from('(['))}{low},{high}{draw(st.sampled_from(')]'))}"


@given(intervals(), intervals())
def test_a_union_hedges_exactly_where_one_part_has_all(one: str, other: str) -> None:
    parts: list[Region | None] = [region(one), region(other)]
    whole = union(parts)
    assert whole is not None
    alone = [same(part, whole) for part in parts if part is not None]
    hedges = bool(whole) and any(alone) and not all(alone)
    assert is_redundant(f"{one}\\cup{other}") is hedges
    if whole:
        reference = one if alone[0] else other if alone[1] else f"{other}\\cup{one}"
        found = MathVerifier().triage(Sample(response=f"\\boxed{{{one}\\cup {other}}}", reference=reference))
        assert isinstance(found, Verdict)
        assert found.outcome == ("incorrect" if hedges else "correct")


@given(st.lists(ENDS, min_size=4, max_size=4, unique=True), st.integers(0, 3), st.integers(-12, 12), st.booleans())
def test_a_union_beside_another_reading_of_it_is_not_that_union(
    ends: list[int], place: int, at: int, rays: bool
) -> None:
    """Also where what is added lies within it."""

    def written(ends: list[int]) -> str:
        low, high = ("-\\infty", "\\infty") if rays else (str(ends[0]), str(ends[3]))
        return f"({low}, {ends[1]}) \\cup [{ends[2]}, {high})"

    right = sorted(ends)
    other = [*right[:place], at, *right[place + 1 :]]
    reference, changed = written(right), written(other)
    for joined in (f"{reference} \\text{{ or }} {changed}", f"{changed} or {reference}"):
        (found,) = MathVerifier().verify([Sample(response=f"\\boxed{{{joined}}}", reference=reference)])
        assert (found.outcome == "correct") is (changed == reference), joined


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


@pytest.mark.parametrize("answer", ["7", "x", "\\frac{x^k}{k!}", "f(\\frac{x^k}{k!})", "\\pi + \\sqrt{2}"])
def test_an_expression_is_no_union_of_intervals(answer: str) -> None:
    unions = ("[0, 1) \\cup (2, 3]", " \\cup ".join(f"[{n}\\pi, \\frac{{{2 * n + 1}\\pi}}{{2}})" for n in range(8)))
    for reference in unions:
        found = MathVerifier().triage(Sample(response=f"\\boxed{{{answer}}}", reference=reference))
        assert isinstance(found, Verdict), "in the process: the algebra system takes half a minute"
        assert found.outcome == "incorrect"
