"""Units, formulas, sets, tuples and intervals: what fits, what it becomes, and where nothing is sure."""

from __future__ import annotations

import pytest

from tests.audits.metamorphic.asking import applied, over_seeds


@pytest.mark.parametrize(
    ("name", "reference", "answer"),
    [
        ("unit_set_as_text", "5 km", r"5\ \text{km}"),
        ("unit_after_blank", r"5\text{ km}", "5 km"),
        ("unit_after_blank", r"5\text{ m}", None),
        ("unit_spelt_out", r"5\,\mathrm{kg}", "5 kilograms"),
        ("unit_spelt_out", "5 m", None),
        ("unit_spelt_out", "5 apples", None),
        ("percent_escaped", "50%", r"50\%"),
        ("percent_spelt_out", r"12.5\%", "12.5 percent"),
        ("degrees_sign", r"90^\circ", "90°"),
        ("degrees_latex", "90°", r"90^{\circ}"),
        ("degrees_sign", "90", None),
        ("dollars_escaped", "$5", r"\$5"),
        ("dollars_spelt_out", r"\$1,234.50", "1234.50 dollars"),
        ("dollars_as_euros", "$5", "€5"),
        ("dollars_as_euros", "5", None),
        ("equation_value", "x = 3", "3"),
        ("equation_spacing", "x = -3", "x=-3"),
        ("equation_value", "x = 3y", None),
        ("polynomial_reordered", "x^2 - 3x + 2", "2 - 3x + x^{2}"),
        ("polynomial_times", "3x^2 + x", r"3 \cdot x^{2} + x"),
        ("polynomial_times", "x + 2", None),
        ("polynomial_plain", "3x^2 + 1", "3*x**2 + 1"),
        ("polynomial_power_changed", "x^2 + 3x", "x^{3} + 3x"),
        ("polynomial_plain", "x + x", None),
        ("polynomial_plain", "2x + y", None),
        ("polynomial_plain", "7E-11", None),
        ("polynomial_plain", "2e + 1", None),
        ("polynomial_plain", "5 m", None),
        ("polynomial_plain", "0x + 1", None),
        ("polynomial_plain", "42", None),
        ("multiple_beside", r"\frac{3\pi}{4}", r"\frac{3}{4}\pi"),
        ("multiple_in_line", r"-\frac{\pi}{2}", r"-\pi/2"),
        ("multiple_times", r"2\sqrt{3}", r"2 \cdot \sqrt{3}"),
        ("root_factor_inside", r"-2\sqrt{3}", r"-\sqrt{12}"),
        ("root_factor_inside", r"2\pi", None),
        ("root_as_power", r"\sqrt{3}", "3^{1/2}"),
        ("root_radicand_changed", r"\sqrt{4}", None),
        ("multiple_negated", r"0\pi", None),
        ("multiple_base_dropped", r"\frac{3\pi}{4}", r"\frac{3}{4}"),
        ("latex_display_fractions", r"\frac{a}{b}", r"\dfrac{a}{b}"),
        ("latex_power_braces", "x^2", "x^{2}"),
        ("latex_power_braces", "x^23", None),
        ("latex_power_bare", "x^{2}5", None),
        ("latex_left_right", r"(1, \{2\})", r"\left(1, \left\{2\right\}\right)"),
        ("latex_left_right", "f(x", None),
        ("latex_unicode", r"2\pi r", "2πr"),
        ("latex_unicode", r"\pitch", None),
        ("latex_spacing", "x+1", "x + 1"),
        ("latex_display_style", r"\text{about } \pi", None),
        ("set_reordered", r"\{1, 2\}", r"\{2, 1\}"),
        ("set_repeated", "{1, 2}", r"\{1, 2, 1\}"),
        ("set_spacing", r"\{1, 2\}", r"\{1,2\}"),
        ("set_spacing", r"\{1, 200\}", None),
        ("set_reordered", r"\{x \mid x > 3\}", None),
        ("set_reordered", r"\{1, 2, \ldots\}", None),
        ("set_element_dropped", r"\{1\}", None),
        ("set_element_dropped", r"\{1/2, 0.5\}", None),
        ("set_element_added", r"\{x, y\}", None),
        ("set_reordered", r"\{1, (2\}", None),
        ("tuple_swapped", "(1, 2)", "(2, 1)"),
        ("tuple_swapped", "(2, 2)", None),
        ("tuple_swapped", "(1/2, 0.5)", None),
        ("tuple_swapped", "(x, y)", None),
        ("tuple_entry_doubled", "(1, 2)", "(1, 2, 2)"),
        ("tuple_entry_dropped", "(1, 2)", None),
        ("tuple_entry_dropped", "(1,234)", None),
        ("list_reordered", "1, 2", "2, 1"),
        ("list_as_set", "1, 2", r"\{1, 2\}"),
        ("list_as_set", "1, 1", None),
        ("list_part_dropped", "1, 2, 3", "1, 2"),
        ("interval_membership", "[0, 1)", r"x \in [0, 1)"),
        ("interval_as_inequality", r"(-\infty, 3]", r"x \le 3"),
        ("interval_as_inequality", "[0, 1)", r"0 \le x < 1"),
        ("interval_as_inequality", r"(-\infty, \infty)", None),
        ("interval_bracket_changed", r"(-\infty, 3]", r"(-\infty, 3)"),
        ("interval_bounds_swapped", "[0, 1)", "[1, 0)"),
        ("interval_bounds_swapped", "(0, 1)", None),
        ("interval_bounds_swapped", "[1, 0]", None),
        ("interval_bounds_swapped", "[1, 1]", None),
        ("interval_bound_changed", r"[\infty, 3]", None),
        ("interval_membership", r"[-\infty, 3]", None),
    ],
)
def test_what_a_reference_becomes(name: str, reference: str, answer: str | None) -> None:
    assert applied(name, reference) == answer


def test_a_unit_is_converted_exactly_and_changed_to_another_size() -> None:
    assert over_seeds("unit_converted", "5 km") <= {r"5000\ \text{m}", r"500000\ \text{cm}", r"5000000\ \text{mm}"}
    assert r"5\ \text{km}" not in over_seeds("unit_changed", "5 km")
    assert over_seeds("unit_changed", "0 km") == {None}
    assert over_seeds("unit_converted", "5 km", "quantity", unit="require") == {None}
    assert over_seeds("unit_changed", "5 km", "quantity", unit="strip") == {None}
    assert applied("unit_spelt_out", {"value": 5, "unit": "m"}, "quantity") == "5 meters"


def test_a_changed_variable_is_another_one() -> None:
    assert not over_seeds("equation_variable_changed", "x = 3") & {"x = 3", None}
    assert not over_seeds("polynomial_variable_changed", "x^2 + 1") & {"x^{2} + 1", None}


def test_a_changed_set_differs_from_the_set() -> None:
    for name in ("set_element_dropped", "set_element_added", "set_element_changed"):
        for answer in over_seeds(name, r"\{-9, 2, 1/2\}"):
            assert answer is not None
            members = frozenset(answer.strip("\\{}").split(", "))
            assert members != {"-9", "2", "1/2"}
            assert len(members) == answer.count(",") + 1
