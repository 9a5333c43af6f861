"""Inequalities of rational functions, and the roots they rest on."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from verifiers.math.algebra.roots import real_roots, value
from verifiers.math.solutions.interval import Region
from verifiers.math.solutions.region import region

SMALL = st.integers(-9, 9)


def contains(found: Region, place: Fraction) -> bool:
    return any(
        (low.at < place or (low.closed and low.at == place)) and (place < high.at or (high.closed and high.at == place))
        for low, high in ((one.low, one.high) for one in found)
    )


@given(SMALL, SMALL, SMALL, st.sampled_from(["<", ">", "\\le", "\\ge"]), st.fractions(-12, 12, max_denominator=7))
def test_a_quadratic_inequality_holds_where_it_does(a: int, b: int, c: int, operator: str, place: Fraction) -> None:
    found = region(f"{a}x^2+{b}x+{c} {operator} 0".replace("+-", "-"))
    if found is None:
        assert not a
        assert not b
        return
    at = a * place**2 + b * place + c
    holds = {"<": at < 0, ">": at > 0, "\\le": at <= 0, "\\ge": at >= 0}[operator]
    assert contains(found, place) == holds


@given(SMALL, SMALL, st.sampled_from(["<", "\\ge"]), st.fractions(-12, 12, max_denominator=7))
def test_a_quotient_has_no_value_at_its_pole(zero: int, pole: int, operator: str, place: Fraction) -> None:
    if zero == pole:
        return
    found = region(f"\\frac{{x-({zero})}}{{x-({pole})}} {operator} 0")
    assert found is not None
    if place == pole:
        assert not contains(found, place)
    else:
        at = (place - zero) / (place - pole)
        assert contains(found, place) == (at < 0 if operator == "<" else at >= 0)


@given(st.lists(SMALL, min_size=1, max_size=5))
def test_rational_roots_are_found_whatever_their_multiplicity(roots: list[int]) -> None:
    polynomial = [Fraction(1)]
    for root in roots:
        polynomial = [
            (polynomial[place - 1] if place else Fraction(0))
            - root * (polynomial[place] if place < len(polynomial) else Fraction(0))
            for place in range(len(polynomial) + 1)
        ]
    assert all(value(polynomial, Fraction(root)) == 0 for root in roots)
    found = real_roots(polynomial)
    if found is not None:  # coefficients beyond the bound are not factored
        assert len(found) == len(set(roots))
