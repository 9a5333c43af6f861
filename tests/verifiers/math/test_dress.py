"""What stands around an answer says nothing of its value; what limits, exchanges or doubles it does."""

from __future__ import annotations

from itertools import permutations, product

import pytest

from trueward import Outcome, Sample
from verifiers.math import MathVerifier

MATH = MathVerifier()
VALUES = {
    "12": "13", "\\frac{3}{4}": "\\frac{4}{3}", "x = 5": "x = 6", "2\\sqrt{3}": "3\\sqrt{2}", "x^2 + 1": "x^2 - 1",
}  # fmt: skip
DRESSES = [
    "\\begin{aligned} %s \\end{aligned}", "\\begin{array}{c} %s \\end{array}", "\\bm{%s}", "\\hbox{%s}",
    "%s \\quad \\blacksquare", "%s \\checkmark", "%s \\nonumber", "%s\\ \\square", "\\text{only } %s",
    "%s \\text{ only}",
    "%s \\text{ is the only solution}", "%s \\text{ (since } n > 0)", "%s \\text{ (reject } n = -2)",
    "%s \\text{, because } n \\text{ is odd}", "-> %s", "→ %s",
    "%s\\ (n = -2 \\text{ is extraneous})",
]  # fmt: skip
TUPLES = ["\\{%s\\}", "\\text{the point } %s", "\\text{vertex at } %s", "\\text{the pair } %s", "P%s", "(x, y) = %s"]
APART = ["\\quad ", "\\qquad ", " \\\\ ", " \\land ", " \\wedge ", ",\\quad ", "; ", " \\text{ and } "]
ORS = [
    " \\text{ or } ",
    " \\lor ",
    " \\vee ",
    " 或 ",
    "\\text{ または }",
    "\\text{ oder }",
    " \\quad \\text{or} \\quad ",
]
FUNCTIONS = {
    "\\frac{1}{x+1}": "\\frac{1}{x-1}",
    "x + 1": "x + 2",
    "e^x": "e^{-x}",
    "\\frac{x^3}{3} + C": "\\frac{x^2}{3} + C",
}
CONDITIONS = [
    ", x \\ne -1", ",\\ x \\neq 2", ", \\quad x \\ne 1, 2", " \\text{ for } x \\ne -1", " \\text{ where } x \\neq -1",
    ", x \\in \\mathbb{R}", " \\text{ for all } x \\in \\mathbb{R}",
]  # fmt: skip
LENGTHS = [
    "\\SI{%s}{cm}",
    "\\qty{%s}{\\cm}",
    "%s\\rm\\,cm",
    "{%s\\;\\rm cm}",
    "%s\\,\\hbox{cm}",
    "\\num{%s}\\text{ cm}",
]
LIMITS = ["but only if $x>0$", "only for n > 2", "if x is real", "unless n = 2", "provided n > 1", "sometimes"]
DATES = {
    "March 14, 2015": [
        "2015/3/14", "2015-3-14", "14. März 2015", "14 mars 2015", "14 de marzo de 2015", "14 marzo 2015",
        "2015年3月14日", "2015년 3월 14일", "Saturday, March 14, 2015",
    ],
    "August 1, 1936": ["1936/8/1", "1. August 1936", "1er août 1936", "1 de agosto de 1936", "1936年8月1日"],
}  # fmt: skip


def outcome(answer: str, reference: str) -> Outcome:
    return MATH.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])[0].outcome


def equal(answer: str, reference: str) -> bool:
    return outcome(answer, reference) is Outcome.CORRECT


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize(("value", "other"), [*VALUES.items()])
def test_layout_and_reasons_say_nothing(dress: str, value: str, other: str) -> None:
    assert equal(dress % value, value)
    assert outcome(dress % other, value) in (Outcome.INCORRECT, Outcome.INVALID)


def test_rows_that_go_on_are_one_chain() -> None:
    for value, right in (("42", True), ("43", False)):
        rows = f"\\begin{{aligned}} x &= 6 \\cdot 7 \\\\ &= {value} \\end{{aligned}}"
        assert equal(rows, "42") is right
    assert not equal("\\begin{aligned} x &= 42 \\\\ y &= 43 \\end{aligned}", "42")


@pytest.mark.parametrize("words", ["not", "anything but", "less than", "other than", "never", "between", "42 or"])
def test_words_before_a_value_that_change_it_are_read(words: str) -> None:
    for end in (" are", " at", " only", ":", " is"):
        assert not equal(f"\\text{{{words}{end} }} 12", "12")


@pytest.mark.parametrize(
    "words",
    [
        "twice",
        "half of",
        "opposite",
        "the complement of",
        "outside",
        "reflect",
        "the negative of",
        "inverse of",
        "the square of",
    ],
)
@pytest.mark.parametrize("what", ["the point", "the vector", "the interval", "the set", "only"])
def test_words_before_a_pair_that_change_it_are_no_name_of_it(words: str, what: str) -> None:
    assert not equal(f"\\text{{{words} {what} }} (1, 2)", "(1, 2)")
    assert not equal(f"\\text{{{words} {what} }} 12", "12")


@pytest.mark.parametrize("word", ["wrong", "incorrect", "false", "extraneous", "rejected"])
def test_a_value_that_is_taken_back_in_one_word_is_none(word: str) -> None:
    for dress in ("7 \\text{ (%s)}", "7 \\text{ %s}", "7 (%s)"):
        assert not equal(dress % word, "7")
    assert equal(f"7 \\text{{ {word} answers}}", "7")


@pytest.mark.parametrize("dress", TUPLES)
def test_a_pair_is_itself_in_every_dress(dress: str) -> None:
    assert equal(dress % "(3, -1)", "(3, -1)")
    assert not equal(dress % "(-1, 3)", "(3, -1)")


@pytest.mark.parametrize("apart", APART)
def test_two_named_values_are_a_pair_however_they_are_set_apart(apart: str) -> None:
    assert equal(f"x = 3{apart}y = -1", "(3, -1)")
    assert equal(f"y = -1{apart}x = 3", "(3, -1)")
    assert not equal(f"x = -1{apart}y = 3", "(3, -1)")
    assert not equal(f"x = 3{apart}y = -1", "3")


@pytest.mark.parametrize("joined", ORS)
def test_alternatives_are_roots_of_one_name_and_no_pair_of_two(joined: str) -> None:
    assert equal(f"x = 2{joined}x = -3", "x = 2 \\text{ or } x = -3")
    assert not equal(f"x = 2{joined}x = 3", "x = 2 \\text{ or } x = -3")
    assert not equal(f"x = 3{joined}y = -1", "(3, -1)")


@pytest.mark.parametrize("names", [*permutations("xyz"), *permutations("xy")])
def test_a_tuple_of_coordinates_stands_in_the_order_of_its_names(names: tuple[str, ...]) -> None:
    values = dict(zip("xyz", ("5", "7", "11"), strict=True))
    reference = f"({', '.join(values[name] for name in sorted(names))})"
    right, straight = ", ".join(values[name] for name in names), reference.strip("()")
    assert equal(f"({', '.join(names)}) = ({right})", reference)
    assert equal(f"({', '.join(names)}) = ({straight})", reference) is (list(names) == sorted(names))


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize(("function", "other"), [*FUNCTIONS.items()])
def test_a_condition_that_one_side_states_is_set_aside(condition: str, function: str, other: str) -> None:
    assert equal(function + condition, function)
    assert equal(function, function + condition)
    assert not equal(other + condition, function)
    verdict = MATH.verify([Sample(response=f"\\boxed{{{function}{condition}}}", reference=function)])[0]
    assert "condition" in verdict.evidence["set_aside"]  # type: ignore[operator]


@pytest.mark.parametrize("condition", [", x > 0", ", x = 2", ", k = 0", " \\text{ if } x > 0", ", k \\in \\mathbb{R}"])
def test_a_condition_that_makes_it_another_answer_stays(condition: str) -> None:
    assert not equal(f"\\frac{{1}}{{x+1}}{condition}", "\\frac{1}{x+1}")


@pytest.mark.parametrize("length", LENGTHS)
def test_packages_and_old_commands_set_a_unit(length: str) -> None:
    assert equal(length % 5, "5 \\text{ cm}")
    assert equal(length % 5, "50 \\text{ mm}")
    assert not equal(length % 5, "5 \\text{ m}")
    assert not equal(length % 6, "5 \\text{ cm}")


@pytest.mark.parametrize(("date", "written"), [(date, one) for date, all_ in DATES.items() for one in all_])
def test_a_date_is_itself_in_other_languages(date: str, written: str) -> None:
    assert equal(written, date)
    assert all(equal(written, other) is (other == date) for other in DATES)


@pytest.mark.parametrize("day", ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"])
def test_a_date_on_another_weekday_is_none(day: str) -> None:
    assert equal(f"{day}, March 14, 2015", "March 14, 2015") is (day == "Saturday")


@pytest.mark.parametrize(("verdict", "limit"), [*product(["Yes", "True"], LIMITS)])
def test_a_yes_that_is_limited_is_no_yes(verdict: str, limit: str) -> None:
    assert not equal(f"\\text{{{verdict}, {limit}}}", verdict)
    assert equal(f"\\text{{{verdict}, because it holds for all n}}", verdict)


@pytest.mark.parametrize(("digits", "base", "value"), [("52", 8, "42"), ("101010", 2, "42"), ("2A", 16, "42")])
def test_digits_and_their_value_are_not_one_answer_said_twice(digits: str, base: int, value: str) -> None:
    assert equal(f"{digits}_{{{base}}}", value)
    assert not equal(f"{digits}_{{{base}}} \\text{{ or }} {value}_{{8}}", value)
    assert equal("\\frac{1}{2}, \\text{ or } 0.5", "0.5")


@pytest.mark.parametrize("said", ["forty-two (42)", "42 (forty-two)", "42 \\text{ (forty-two)}"])
def test_a_number_that_is_said_again_in_words_is_that_number(said: str) -> None:
    assert equal(said, "42")
    assert not equal(said.replace("two", "three"), "42")
    assert not equal(said.replace("42", "43"), "42")


@pytest.mark.parametrize("task", ["\\int x^2 dx", "\\int x^2 \\, dx", "\\frac{d}{dx} g(x)", "\\lim_{n \\to 0} h(n)"])
def test_the_task_before_its_value_is_a_name_of_it(task: str) -> None:
    assert equal(f"{task} = \\frac{{x^3}}{{3}} + C", "\\frac{x^3}{3} + C")
    assert not equal(f"{task} = \\frac{{x^2}}{{3}} + C", "\\frac{x^3}{3} + C")


DECORATIONS = [
    "(%s)'", "%s'", "(%s)^\\prime", "\\overline{%s}", "\\dot{%s}", "(%s)^*", "(%s)_x", "(%s)_2", "\\cancel{%s}",
    "%s\\circ 2", "%s\\oplus 1", "%s\\mid 2", "%s!", "?%s", "\\#%s", "%s+\\cdots", "\\partial(%s)",
    "\\Delta(%s)", "\\lnot %s",
    "\\operatorname{foo}(%s)", "\\operatorname{sgn}(%s)", "\\Gamma(%s)", "%s\\bmod 1", "%s\\in\\emptyset",
    "\\square %s", "\\left.%s\\right|_0^1", "[%s]_2", "%s\\uparrow 2", "\\mathcal{F}(%s)", "\\sup %s",
]  # fmt: skip


@pytest.mark.parametrize("decoration", DECORATIONS)
@pytest.mark.parametrize("value", ["\\frac{x^2+1}{2}", "\\sqrt{2+\\sqrt{3}}", "3+2i", "7"])
def test_no_sign_that_changes_a_formula_is_passed_over(decoration: str, value: str) -> None:
    assert outcome(decoration % value, value) in (Outcome.INCORRECT, Outcome.INVALID)
