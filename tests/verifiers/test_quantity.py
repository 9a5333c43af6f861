"""Quantities: conversion is exact and goes both ways, units never reach pint's own parser, hostile text is bounded."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward import Sample, Verdict
from trueward.authoring.verifier import Abstain
from verifiers.quantity import QuantityVerifier
from verifiers.quantity.measure import NoQuantity, measure
from verifiers.quantity.number import TooLarge
from verifiers.quantity.unit import OTHER_LANGUAGES, unit
from verifiers.quantity.verifier import QuantityParams
from verifiers.units import Expression, UnknownUnit
from verifiers.units import expression as unit_expression

LENGTHS_AND_TIMES = ["m", "km", "inch", "mile", "s", "hour", "km/h", "m/s^2"]
UNITS = [*LENGTHS_AND_TIMES, "kg", "lb", "J", "kWh", "psi", "Pa", "K", "°C", "°F", "%"]


def expression(text: str) -> Expression:
    return unit_expression(text, unit)


def judged(response: str, reference: str, params: QuantityParams | None = None) -> Verdict:
    return QuantityVerifier(params).verify([Sample(response=response, reference=reference)])[0]


@settings(deadline=None)
@given(st.integers(-(10**12), 10**12), st.sampled_from(UNITS), st.sampled_from(UNITS))
def test_a_quantity_converted_exactly_is_equal_and_nothing_else_is(number: int, ours: str, theirs: str) -> None:
    source, target = expression(ours), expression(theirs)
    exact = QuantityParams(relative_tolerance=0.0)
    if source.dimension != target.dimension:
        assert judged(f"{number} {ours}", f"{number} {theirs}", exact).reason_code == "other_dimension"
        return
    converted = (number * source.factor + source.offset - target.offset) / target.factor
    written = f"{converted.numerator}/{converted.denominator} {theirs}"
    assert judged(written, f"{number} {ours}", exact).reason_code == "equal_quantity"
    assert judged(f"{number} {ours}", written, exact).reason_code == "equal_quantity"
    beside = converted + Fraction(1, 10**9)
    off = f"{beside.numerator}/{beside.denominator} {theirs}"
    assert judged(off, f"{number} {ours}", exact).reason_code == "outside_tolerance"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("m/s^2", "meters per second squared"),
        ("m s⁻²".replace("⁻²", "^-2"), "m/s/s"),
        ("J/mol K", "J/(mol·K)"),
        ("kg m^2/s^3", "W"),
        ("sq ft", "ft^2"),
        ("N-m", "N*m"),
        ("km per hour", "kph"),
        ("1/s", "s^-1"),
    ],
)
def test_spellings_of_one_unit(text: str, same: str) -> None:
    ours, theirs = expression(text), expression(same)
    assert (ours.factor, ours.dimension) == (theirs.factor, theirs.dimension)


@pytest.mark.parametrize(
    "text", ["m^13", "m^9^9", "m^(1/2)", "m m m^", "/", "m//s", "(m", "m)", "per", "m^m", "dB", "µ²"]
)
def test_what_is_no_unit(text: str) -> None:
    with pytest.raises(UnknownUnit):
        expression(text)


@pytest.mark.parametrize("name", ["meter*10**99", "m**9", "", "a b", "__class__", "2", "m\n"])
def test_only_names_reach_the_registry(name: str) -> None:
    with pytest.raises(UnknownUnit):
        unit(name)


@settings(deadline=None)
@given(st.text(alphabet="0123456789.,eE+-×^(){}/\\ mskg°C·%=:\n", max_size=80))
def test_reading_never_fails_in_another_way(text: str) -> None:
    with suppress(NoQuantity, UnknownUnit, TooLarge):
        measure(text)


def test_tolerances_count_in_the_unit_of_the_reference() -> None:
    params = QuantityParams(relative_tolerance=0.0, absolute_tolerance=5)
    assert judged("10.05 m", "1000 cm", params).reason_code == "within_tolerance"
    assert judged("1000 cm", "10.05 m", params).reason_code == "within_tolerance"
    assert judged("1600 cm", "10.05 m", params).reason_code == "outside_tolerance"


def test_equal_answers_to_equal_references_are_one_task() -> None:
    verifier = QuantityVerifier()
    tasks = {verifier.triage(Sample(response=f"{lead} \\boxed{{5 m}}", reference="5 m")) for lead in ("So", "Thus")}
    assert len(tasks) == 1


def test_an_unreadable_reference_abstains_before_the_answer_is_read() -> None:
    verifier = QuantityVerifier()
    task = verifier.triage(Sample(response="5 m", reference="5 apples"))
    assert not isinstance(task, Verdict)
    with pytest.raises(Abstain):
        verifier.prepare(task)


@pytest.mark.parametrize(("name", "symbol"), sorted(OTHER_LANGUAGES.items()))
def test_a_unit_in_chinese_or_russian_is_its_symbol(name: str, symbol: str) -> None:
    for written in (f"7 {name}", f"答案：7{name}。", f"Ответ: 7 {name}."):
        [right] = QuantityVerifier().verify([Sample(response=written, reference=f"7 {symbol}")])
        assert right.outcome == "correct", (written, right)
        for other in {"m", "km", "g", "kg", "s", "h", "L"} - {symbol}:
            [wrong] = QuantityVerifier().verify([Sample(response=written, reference=f"7 {other}")])
            assert wrong.outcome != "correct", (written, other)


@pytest.mark.parametrize(
    "before", ["2 × ", "2 * ", "2 \\times ", "\\frac12 \\cdot ", "½ ", "√", "\\sqrt ", "± ", "\\pm "]
)
@pytest.mark.parametrize("frame", ["{}", "The mass is {}", "\\boxed{{{}}}"])
def test_a_number_that_is_part_of_a_product_is_no_quantity_by_itself(before: str, frame: str) -> None:
    assert judged(frame.format(f"{before}5 kg"), "5 kg").outcome != "correct"
    assert judged(frame.format("5! kg"), "5 kg").outcome != "correct"
    assert judged(frame.format(f"m = {before}2.5 = 5 kg"), "5 kg").outcome == "correct"


@pytest.mark.parametrize("frame", ["**{}**", "The mass is **{}**.", "**Mass: {}**"])
@pytest.mark.parametrize("said", ["5 kg", "5 kgs", "5000 g"])
def test_emphasis_is_no_part_of_a_quantity(frame: str, said: str) -> None:
    assert judged(frame.format(said), "5 kg").outcome == "correct"


@pytest.mark.parametrize(("sign", "other"), [*permutations("€£¥₹$", 2)])
def test_a_currency_is_a_unit_that_converts_into_no_other(sign: str, other: str) -> None:
    assert judged(f"It costs {sign}5.00.", f"{sign}5").outcome == "correct"
    assert judged(f"It costs {other}5.00.", f"{sign}5").outcome != "correct"
    assert judged(f"{sign}5/kg", f"{sign}5").outcome != "correct"
