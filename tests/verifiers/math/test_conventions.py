"""What others write beside us: the same in another convention is equal, and one change in it is not."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier
from verifiers.math.reading.enumerated import parts


def judged(answer: str, reference: str) -> Outcome:
    (verdict,) = MathVerifier().verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


def equal(answer: str, reference: str) -> bool:
    return judged(answer, reference) is Outcome.CORRECT


LABELS = ("Mean", "Median", "Area", "Perimeter", "max", "min", "mean age", "median age")


@pytest.mark.parametrize(("one", "other"), [*permutations(LABELS, 2)])
def test_a_value_of_another_name_is_another_value(one: str, other: str) -> None:
    nested = set(one.lower().split()) <= set(other.lower().split()) or set(other.lower().split()) <= set(
        one.lower().split()
    )
    assert equal(f"\\text{{{one}}} = 5", f"\\text{{{other}}} = 5") is nested
    assert equal(f"\\text{{{one}: }} 5", "5")


MODIFIED = {
    "z": ("\\bar{z}", "\\overline{z}", "\\dot{z}", "\\sin z", "\\frac{dz}{dt}", "|z|", "\\Delta z"),
    "f(x)": ("f^{-1}(x)",),
    "\\sigma": ("\\sigma^2",),
    "\\theta": ("\\cos\\theta", "\\tan \\theta"),
}


@pytest.mark.parametrize(("name", "modified"), [(name, one) for name, all_ in MODIFIED.items() for one in all_])
def test_what_is_made_of_a_name_is_not_that_name(name: str, modified: str) -> None:
    assert not equal(f"{modified} = 0.5", f"{name} = 0.5")
    assert not equal(f"{name} = 0.5", f"{modified} = 0.5")
    assert equal(f"{modified} = 0.5", f"{modified} = 0.5")
    assert equal(f"{modified} = 0.5", "0.5")


def test_a_derivative_is_that_of_its_order() -> None:
    orders = {"y'": "\\frac{dy}{dx}", "y''": "\\frac{d^2y}{dx^2}"}
    for primes in orders:
        for other, quotient in orders.items():
            assert equal(f"{primes} = 2x", f"{quotient} = 2x") is (primes == other), (primes, quotient)
            assert equal(f"{quotient} = 2x", f"{primes} = 2x") is (primes == other), (primes, quotient)


NUMERALS = ("I", "II", "III", "IV")
CHOSEN = [chosen for count in (2, 3) for chosen in combinations(NUMERALS, count)]


@pytest.mark.parametrize("reference", CHOSEN)
def test_numbered_statements_are_those_that_are_named(reference: tuple[str, ...]) -> None:
    for chosen in CHOSEN:
        for joined in (", ".join(chosen), " and ".join(chosen), f"\\text{{{', '.join(reversed(chosen))}}}"):
            assert equal(joined, ", ".join(reference)) is (chosen == reference), joined


@pytest.mark.parametrize("signs", [("<", "<"), ("<", "\\le"), ("\\le", "\\le")])
def test_a_chain_of_inequalities_reads_from_either_end(signs: tuple[str, str]) -> None:
    turned = {"<": ">", "\\le": "\\ge"}
    for names in permutations("abc"):
        written = f"{names[0]} {signs[0]} {names[1]} {signs[1]} {names[2]}"
        backwards = f"{names[2]} {turned[signs[1]]} {names[1]} {turned[signs[0]]} {names[0]}"
        assert equal(backwards, written)
        assert not equal(written, "a < b < c") or (names == ("a", "b", "c") and signs == ("<", "<"))


SETS = {
    "x \\ne 1, 2": ("\\mathbb{R} \\setminus \\{1, 2\\}", "\\mathbb{R} - \\{1, 2\\}", "x \\ne 1 \\text{ and } x \\ne 2"),
    "(0, \\infty)": ("\\mathbb{R}^+", "\\mathbb{R}_{>0}", "x > 0", "(-1, \\infty) \\cap (0, \\infty)"),
    "[0, \\infty)": ("\\mathbb{R}_{\\ge 0}", "x \\ge 0"),
    "(-\\infty, 0)": ("\\mathbb{R}^{-}", "x < 0"),
    "(0, 1) \\cup (1, 2)": ("(0, 2) - \\{1\\}", "(0, 2) \\setminus \\{1\\}"),
    "x \\ne 1": ("\\text{all real numbers except } 1", "\\text{real numbers except } x = 1"),
}


@pytest.mark.parametrize("reference", SETS)
def test_a_set_is_the_same_in_each_notation_and_no_other(reference: str) -> None:
    for other, spellings in SETS.items():
        for written in spellings:
            assert equal(written, reference) is (other == reference), written


def test_the_letter_of_a_membership_counts() -> None:
    assert equal("x \\in [1, 2]", "1 \\le x \\le 2")
    assert not equal("y \\in [1, 2]", "1 \\le x \\le 2")


@pytest.mark.parametrize("counts", [("(a)", "(b)"), ("(1)", "(2)"), ("(i)", "(ii)"), ("\\text{(a)}", "\\text{(b)}")])
@pytest.mark.parametrize("apart", [" ", "; ", ", ", "\\quad "])
def test_answers_to_counted_parts_are_those_in_their_order(counts: tuple[str, str], apart: str) -> None:
    one, other = counts
    assert equal(f"{one} 5{apart}{other} 6", "5; 6")
    assert not equal(f"{one} 6{apart}{other} 5", "5; 6")
    assert not equal(f"{one} 5", "5; 6")


@pytest.mark.parametrize("text", ["(1)(2)", "(1)+(2)", "(a)(b)", "(a)", "(1)", "(a) 5", "(i)^2", "(1, 2)", "(a+b)"])
def test_brackets_that_count_nothing_stay(text: str) -> None:
    assert parts(text) == text


@pytest.mark.parametrize("said", ["Yes, but no", "Yes, no", "Yes; maybe", "No, yes", "Yes or no", "True, false"])
def test_a_verdict_that_is_taken_back_is_none(said: str) -> None:
    for reference in ("Yes", "No", "True", "False"):
        assert not equal(f"\\text{{{said}}}", f"\\text{{{reference}}}")


@pytest.mark.parametrize("said", ["Yes", "No", "True", "False"])
@pytest.mark.parametrize("other", ["5", "-n^2 + 64", "x > 2", "\\frac{1}{2}", "(1, 2)", "$x$"])
@pytest.mark.parametrize(
    "joined", ["\\textbf{{{0}}} or {1}", "\\text{{{0}}} \\lor {1}", "\\text{{{0} or }} {1}", "{0}, or {1}"]
)
def test_a_verdict_beside_another_answer_is_none(said: str, other: str, joined: str) -> None:
    assert not equal(joined.format(said, other), said)
    (found,) = MathVerifier().verify([Sample(response=f"The answer is {joined.format(said, other)}.", reference=said)])
    assert found.outcome is not Outcome.CORRECT


@pytest.mark.parametrize("said", ["Yes, because no root exists", "Yes, no doubt", "Yes, it is", "Yes. It holds."])
def test_a_verdict_with_its_reason_is_one(said: str) -> None:
    assert equal(f"\\text{{{said}}}", "Yes")


@pytest.mark.parametrize(
    "layout", ["{} \\tag{{6}}", "{} \\label{{eq:1}}", "{}\\hspace{{1cm}}", "\\smash{{{}}}", "{}{{}}"]
)
def test_layout_says_nothing(layout: str) -> None:
    assert equal(layout.format("5"), "5")
    assert not equal(layout.format("5"), "6")
    assert not equal(layout.format("5"), "56")


@pytest.mark.parametrize("number", ["2^{1000000}", "9^{9^{9}}", "7^{7^{7}} + 1", "\\frac{10^{100000}}{3}"])
def test_a_reference_beyond_the_bounds_is_itself_and_no_other(number: str) -> None:
    assert equal(number, number)
    assert judged("5", number) is Outcome.INCORRECT
    assert judged(number.replace("0", "1").replace("9", "8", 1).replace("7", "6", 1), number) is Outcome.INCORRECT
    assert judged(number, "5") is Outcome.INVALID


@pytest.mark.parametrize("base", ["\\lg 5", "\\log_{10} 5", "\\log 5", "\\frac{\\ln 5}{\\ln 10}"])
def test_a_logarithm_of_base_ten_is_no_natural_one(base: str) -> None:
    assert equal(base, "\\lg 5")
    assert equal(base, "\\ln 5") is (base == "\\log 5")


@pytest.mark.parametrize("count", range(2, 6))
def test_binomials_with_a_letter_are_decided(count: int) -> None:
    assert equal(f"\\binom{{n}}{{{count}}}", f"\\frac{{n!}}{{{count}!(n-{count})!}}")
    assert judged(f"\\binom{{n}}{{{count}}}", f"\\binom{{n}}{{{count + 1}}}") is Outcome.INCORRECT
    assert judged(f"\\binom{{n+1}}{{{count}}}", f"\\binom{{n}}{{{count}}}") is Outcome.INCORRECT
    assert equal(f"\\binom{{n+1}}{{{count}}}", f"\\binom{{n}}{{{count}}} + \\binom{{n}}{{{count - 1}}}")


@pytest.mark.parametrize(("one", "other"), [("C_1", "A"), ("C_2", "B"), ("c_1", "K"), ("C", "D")])
def test_constants_may_have_another_name_on_either_side(one: str, other: str) -> None:
    assert equal(f"{one} e^{{2x}}", f"{other} e^{{2x}}")
    assert equal(f"{other} e^{{2x}}", f"{one} e^{{2x}}")
    assert not equal(f"{one} e^{{2x}}", f"{other} e^{{3x}}")
    assert not equal("p e^{2x}", f"{other} e^{{2x}}")


NOTES = (
    "{} (2 d.p.)",
    "{}\\text{{ (to 2 decimal places)}}",
    "{}\\text{{ approximately}}",
    "{} to the nearest hundredth",
)


@pytest.mark.parametrize("noted", NOTES)
def test_a_note_on_rounding_is_no_part_of_the_value(noted: str) -> None:
    assert equal(noted.format("3.14"), "3.14")
    assert not equal(noted.format("3.15"), "3.14")
    assert not equal(noted.format("3.142"), "3.14")


@given(st.integers(-999, 999).filter(bool), st.lists(st.integers(100, 999), min_size=1, max_size=2))
def test_a_point_without_blanks_is_no_number(first: int, others: list[int]) -> None:
    point, spaced = (f"({apart.join(map(str, (first, *others)))})" for apart in (",", ", "))
    number = f"{first}{''.join(map(str, others))}"
    for written in (point, f"\\left{point[:-1]}\\right)", f"P{point}"):
        assert equal(written, spaced)
        assert equal(spaced, written)
        assert not equal(number, written)
        assert not equal(written, number)
    assert equal(f"({first},0{others[0] // 10})", f"{first}0{others[0] // 10}"), "a group with a zero before"


@given(
    st.sampled_from("tnsz"),
    st.sampled_from(("1", "-3", "{}^2", "2{} + 1", "\\sin {}", "\\frac{{1}}{{{} + 2}}")),
    st.data(),
)
def test_the_name_of_an_argument_says_nothing(name: str, value: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from("xu"))
    ours, theirs = (f"f({each}) = {value.format(each)}" for each in (name, other))
    assert equal(ours, theirs)
    assert equal(f"{ours}, g({name}) = 5", f"{theirs}, g({other}) = 5")
    assert not equal(ours.replace("f(", "g("), theirs)
    assert not equal(f"{ours} + 1", theirs)


@pytest.mark.parametrize(
    "between", [", ", " \\text{, } ", "\\text{,}", " \\text{ and } ", " and ", "\\text{, and }", ",\\quad "]
)
@pytest.mark.parametrize(
    "parts", [("(-\\infty, -2)", "(3, \\infty)"), ("[0, 1)", "(1, 2]"), ("(1, 2)", "(3, 4)", "(5, \\infty)")]
)
def test_intervals_in_a_row_are_their_union(between: str, parts: tuple[str, ...]) -> None:
    joined = " \\cup ".join(parts)
    assert equal(between.join(parts), joined)
    assert equal(between.join(reversed(parts)), joined)
    assert not equal(between.join(parts[:-1]) + between + "(9, 10)", joined)
    assert not equal(between.join([*parts, parts[0].replace("(", "[").replace("-2", "-3")]), joined), "a hedge"
    assert not equal(parts[0], joined)


def test_intervals_that_meet_are_no_list_of_one() -> None:
    assert not equal("(-\\infty, 5), (3, \\infty)", "(-\\infty, 3) \\cup (5, \\infty)")
    assert not equal("(1, 3), (2, 4)", "(1, 2) \\cup (2, 4)")
    assert equal("(1, 2), (3, 4)", "(3, 4), (1, 2)"), "two points"


@pytest.mark.parametrize("mark", [",", ";"])
def test_a_mark_that_is_set_as_text_is_that_mark(mark: str) -> None:
    for written in (f"3 \\text{{{mark} }} 5", f"3\\text{{{mark}}}5", f"3 \\text{{ {mark} }} 5"):
        assert equal(written, f"3{mark} 5")
        assert not equal(written, f"3{mark} 6")
        assert not equal(written, "35")


@pytest.mark.parametrize("angle", ["2x", "2 \\theta", "3A", "x"])
@pytest.mark.parametrize("function", ["\\sin", "\\cos", "\\tan"])
def test_a_function_of_an_angle_names_its_value(function: str, angle: str) -> None:
    assert equal(f"{function} {angle} = \\frac{{3}}{{5}}", "\\frac{3}{5}")
    assert not equal(f"{function} {angle} = \\frac{{3}}{{5}}", f"{function} {angle}")
    assert not equal(f"{function} {angle} = \\frac{{3}}{{5}}", f"{function} 7y = \\frac{{3}}{{5}}")


@pytest.mark.parametrize("bar", ["\\bar {}", "\\bar{{{}}}", "\\overline{{{}}}", "{}_0"])
def test_means_as_a_pair_are_those_one_by_one(bar: str) -> None:
    x, y = bar.format("x"), bar.format("y")
    listed, pair = f"{x} = 0, {y} = \\frac43", f"({x}, {y}) = (0, \\frac43)"
    for one, other in permutations((listed, pair, pair.replace("\\overline", "\\bar"), "(0, \\frac43)"), 2):
        assert equal(one, other)
        assert not equal(one.replace("0, ", "1, ").replace("= 0", "= 1"), other)
    assert not equal(f"({x}, {y}) = (\\frac43, 0)", listed)


@pytest.mark.parametrize("unit", ["miles/s", "meters/s", "feet/s", "m/second", "meters/s^2", "miles per s", "mol/L"])
def test_a_unit_with_a_word_in_it_is_no_product(unit: str) -> None:
    for written in (f"6.5 {unit}", f"6.5\\text{{ {unit}}}", f"$\\approx 6.5$ {unit}"):
        assert equal("6.5", written)
        assert equal(written, "6.5")
        assert equal(written, f"6.5\\ \\text{{{unit}}}")
        assert not equal(written, "6.4")
        assert not equal(written, "6.5 kg")


@pytest.mark.parametrize(("one", "other"), [("gal", "gallons"), ("gallon", "gal"), ("qt", "quarts"), ("quart", "qt")])
def test_measures_of_volume_have_a_name_and_a_symbol(one: str, other: str) -> None:
    assert equal(f"50 \\text{{ {one}}}", f"50 {other}")
    assert not equal(f"50 \\text{{ {one}}}", f"51 {other}")
    assert equal("4 quarts", "1 gallon")
    assert equal("2 pints", "1 quart")
    assert not equal("1 gallon", "1 quart")


SOLUTIONS = (("x = 2 - 4t", "y = -8t", "z = t"), ("x = 4", "y = -4", "z = -2"), ("a = \\frac{1}{2}", "b = 3"))


@pytest.mark.parametrize("said", SOLUTIONS)
@pytest.mark.parametrize(
    "lead", ["Solution is: $[{}]$", "The solution is ${}$.", "[{}]", "Solution: {}", "The general solution is {}"]
)
def test_a_solution_is_its_equations(said: tuple[str, ...], lead: str) -> None:
    reference = lead.format(", ".join(said))
    values = [one.partition("= ")[2] for one in said]
    assert equal(", ".join(said), reference)
    assert equal(f"({', '.join(values)})", reference)
    assert equal(reference, ", ".join(said))
    assert not equal(f"({', '.join([*values[1:], values[0]])})", reference)
    assert not equal(", ".join(said[:-1]), reference)
    assert not equal(", ".join([*said[:-1], f"{said[-1]} + 1"]), reference)


def test_what_is_said_of_a_solution_stays() -> None:
    assert not equal("\\text{The solution is not unique}", "unique")
    assert not equal("The solution is not 5", "5")


@pytest.mark.parametrize("reals", ["\\mathbb R", "\\mathbb{R}", "\\R"])
def test_the_reals_without_a_point_by_a_minus(reals: str) -> None:
    assert equal(f"{reals} - \\{{5\\}}", "x \\ne 5")
    assert not equal(f"{reals} - \\{{5, 6\\}}", "x \\ne 5")


@pytest.mark.parametrize("reason", ["since 6 * 7 = 42", "because $6 \\cdot 7 = 42$", "rather than 43", "but not 43"])
@pytest.mark.parametrize("announced", ["Answer: {0} ({1})", "The answer is {0} ({1}).", "The answer is ${0}$ ({1})"])
def test_a_reason_in_parentheses_is_no_part_of_the_answer(announced: str, reason: str) -> None:
    for number, outcome in (("42", Outcome.CORRECT), ("44", Outcome.INCORRECT)):
        (found,) = MathVerifier().verify([Sample(response=announced.format(number, reason), reference="42")])
        assert found.outcome is outcome, found.reason


@pytest.mark.parametrize("sign", ["∎", "■", "□", "\\blacksquare"])
def test_the_sign_at_a_proofs_end_is_no_part_of_the_answer(sign: str) -> None:
    for response in (f"Hence, n=42. {sign}", f"The answer is 42. {sign}", f"\\boxed{{42 {sign}}}", f"So n = 42 {sign}"):
        (found,) = MathVerifier().verify([Sample(response=response, reference="42")])
        assert found.outcome is Outcome.CORRECT, response


IONS = [(name, count, sign) for name in ("K", "Fe", "SO4", "NH4", "H3O", "OH") for count in (1, 2, 3) for sign in "+-"]


def spelled_ion(name: str, count: int, sign: str) -> list[str]:
    digits = "" if count == 1 else str(count)
    low = "".join(f"_{one}" if one.isdigit() else one for one in name)
    raised = [f"{digits}{sign}", f"{sign}{digits}"]
    marked = [f"{text}^{{{one}}}" for text in (name, low, f"\\text{{{name}}}") for one in raised]
    return [f"{name}{digits}{sign}", *marked, f"\\mathrm{{{low}^{{{digits}{sign}}}}}", f"\\ce{{{low}^{digits}{sign}}}"]


@given(st.sampled_from(IONS), st.sampled_from(IONS), st.data())
def test_ions_are_compared_by_name_and_charge_and_never_left_open(
    one: tuple[str, int, str], other: tuple[str, int, str], data: st.DataObject
) -> None:
    answer, reference = (data.draw(st.sampled_from(spelled_ion(*each))) for each in (one, other))
    assert equal(answer, reference) is (one == other), (answer, reference)
    assert judged(answer, reference) is not Outcome.ABSTAINED
    assert judged("42", reference) is Outcome.INCORRECT


@pytest.mark.parametrize("reference", ["B+", "A-", "0^+", "x \\to 2^-", "\\text{C}^+"])
def test_a_grade_or_a_side_is_compared_by_its_signs(reference: str) -> None:
    assert equal(reference, reference)
    assert judged(reference[:-1] + ("-" if reference[-1] == "+" else "+"), reference) is Outcome.INCORRECT
    assert judged("42", reference) is Outcome.INCORRECT


@pytest.mark.parametrize("reference", ["-3 b^{4}+13 b^{3}-7 b^{2}-", "2x+", "3AB+", "x^2-", "2N+", "ab^3+"])
def test_a_reference_that_breaks_off_judges_nothing(reference: str) -> None:
    assert judged("42", reference) is judged(f"{reference}1", reference) is Outcome.ABSTAINED
