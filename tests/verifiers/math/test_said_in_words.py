"""What an answer says in words, or again, or of several things at once: each with what is near to it and wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward import Outcome, Sample
from verifiers.math import MathVerifier
from verifiers.numeric import NumericVerifier

VERIFIER = MathVerifier()
SIGNS = {
    "greater than": "x>{}", "more than": "x>{}", "less than": "x<{}", "greater than or equal to": "x\\ge {}",
    "less than or equal to": "x\\le {}", "at least": "[{},\\infty)", "at most": "(-\\infty,{}]",
}  # fmt: skip
SUBJECTS = (
    "all real numbers",
    "all real numbers that are",
    "any real number",
    "every real value of x",
    "all values of x",
)


def outcome(reference: str, answer: str) -> Outcome:
    [verdict] = VERIFIER.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])
    return verdict.outcome


def is_right(reference: str, answer: str) -> bool:
    return outcome(reference, answer) is Outcome.CORRECT


@given(
    st.sampled_from(SUBJECTS),
    st.sampled_from(sorted(SIGNS)),
    st.sampled_from(sorted(SIGNS)),
    st.integers(-9, 9),
    st.integers(-9, 9),
)
def test_a_range_in_words_is_that_of_its_sign_and_bound(
    subject: str, said: str, wanted: str, bound: int, other: int
) -> None:
    def meaning(words: str, number: int) -> tuple[str, bool, int]:
        return ("up" if words in ("greater than", "more than", "at least") or "greater" in words else "down",
                "equal" in words or words.startswith("at "), number)  # fmt: skip

    equal = meaning(said, bound) == meaning(wanted, other)
    for answer in (f"\\text{{{subject} {said} {bound}}}", f"\\text{{{subject.capitalize()} {said} }} {bound}"):
        assert is_right(SIGNS[wanted].format(other), answer) is equal, answer


@pytest.mark.parametrize(
    "answer", ["all integers {}", "no real numbers {}", "some real numbers {}", "all real numbers not {}"]
)
def test_other_words_are_no_range(answer: str) -> None:
    assert not is_right("x>1", f"\\text{{{answer.format('greater than 1')}}}")


@pytest.mark.parametrize(
    "answer",
    [
        "\\{x \\in \\mathbb{R} : x \\ne 0, x\\neq \\pm {0}\\}", "x \\neq 0, \\pm {0}", "x\\neq 0,\\ x \\neq \\pm {0}",
        "\\mathbb{R}\\setminus\\{0,\\pm {0}\\}", "\\text{all real } x \\text{ except } 0, \\pm {0}",
        "x \\text{ can be any real number except } 0, -{0} \\text{ and } {0}",
        "\\text{all real numbers } x \\text{ such that } x \\neq 0, \\pm {0}",
    ],
)  # fmt: skip
def test_points_that_are_left_out_may_have_both_signs(answer: str) -> None:
    for number in (3, 4, 5):
        assert is_right("x \\ne -4, 0, 4", answer.replace("{0}", str(number))) is (number == 4)


@pytest.mark.parametrize("condition", ["|x|<{}", "-{0}<x<{0}", "x^2<{0}^2"])
@pytest.mark.parametrize("bar", [":", "\\mid", "|"])
def test_a_set_by_its_condition_is_part_of_a_union(condition: str, bar: str) -> None:
    for bound in (3, 2):
        built = f"\\{{x {bar} {condition.format(bound, bound)}\\}}"
        assert is_right("(-3,3)\\cup\\{4\\}", f"{built}\\cup\\{{4\\}}") is (bound == 3)
        assert is_right("(-3,3)\\cup\\{4\\}", f"\\{{4\\}}\\cup {built}") is (bound == 3)


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 30), min_size=2, max_size=3),
    st.sampled_from([" x ", " \\times ", "\\text{ by }", " by "]),
    st.data(),
)
def test_measures_side_by_side_are_a_list_without_order(numbers: list[int], joint: str, data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(numbers))
    reference = "\\mathrm{ft} x ".join(map(str, numbers)) + "\\mathrm{ft}"
    for unit, right in (("\\text{ ft}", True), ("\\text{ feet}", True), ("\\text{ m}", False)):
        assert is_right(reference, joint.join(f"{one}{unit}" for one in shuffled)) is right
        assert is_right(reference, " \\times ".join(map(str, shuffled)) + unit) is right
    changed = [shuffled[0] + 1, *shuffled[1:]]
    assert not is_right(reference, joint.join(f"{one}\\text{{ ft}}" for one in changed))
    assert not is_right(reference, joint.join(f"{one}\\text{{ ft}}" for one in (*shuffled, 1)))


@pytest.mark.parametrize(
    ("reference", "same", "other"),
    [
        ("\\frac{1}{8}", ["{} = 12.5\\%", "{} \\text{ (or 12.5\\%)}", "{}\\ (\\text{i.e., } 0.125)"],
         ["{} = 1.25\\%", "{} = 12\\%", "{} \\text{ (or } \\frac14)", "\\frac14 \\text{ (or } {})"]),
        ("\\frac{\\pi}{6}", ["{} = 30^\\circ", "30^\\circ = {}", "\\theta = {} = 30^\\circ",
         "{} \\text{ (or } 30^\\circ)"],
         ["{} = 60^\\circ", "30^\\circ = 2\\cdot{}"]),
        ("30^\\circ", ["\\frac{\\pi}{6} = {}", "{} = \\frac{\\pi}{6}"],
         ["\\frac{\\pi}{3} = {}", "\\frac{\\pi}{6} = 60^\\circ"]),
        ("2\\pi", ["{} \\text{ (approximately 6.28)}", "{} \\ (\\approx 6.28)"],
         ["{} \\text{ (about 6.38)}", "{} \\text{ (or } \\pi)"]),
        ("33.3\\%", ["\\frac13 \\approx {}"], ["\\frac13 \\approx 33.4\\%"]),
    ],
)  # fmt: skip
def test_a_value_said_again_in_another_form_is_that_value(reference: str, same: list[str], other: list[str]) -> None:
    for answer in same:
        assert is_right(reference, answer.replace("{}", reference)), answer
    for answer in other:
        assert not is_right(reference, answer.replace("{}", reference)), answer


entry = st.integers(-9, 9)


@given(st.tuples(entry, entry, entry), st.tuples(entry, entry, entry), st.integers(-4, 4), st.booleans())
def test_sums_and_multiples_of_tuples_are_worked_out(
    one: tuple[int, ...], other: tuple[int, ...], factor: int, angled: bool
) -> None:
    def written(entries: tuple[object, ...]) -> str:
        inside = ", ".join(map(str, entries))
        return f"\\langle {inside} \\rangle" if angled else f"({inside})"

    total = tuple(a + factor * b for a, b in zip(one, other, strict=True))
    answer = (
        f"{written(one)} + {factor}{written(other)}" if factor >= 0 else f"{written(one)} - {-factor}{written(other)}"
    )
    assert is_right(written(total), answer)
    assert is_right(written(tuple(-each for each in total)), f"-{written(total)}")
    assert not is_right(written((total[0] + 1, *total[1:])), answer)
    line = tuple(f"{a} + ({b})t" for a, b in zip(one, other, strict=True))
    assert is_right(written(line), f"{written(one)} + t{written(other)}")
    if any(other):
        assert not is_right(written(line), f"{written(one)} - t{written(other)}")


@pytest.mark.parametrize("written", ["\\text{{ {}}}", "\\ \\mathrm{{{}}}"])
def test_a_speed_behind_an_expression_has_its_unit(written: str) -> None:
    for unit, right in (("ft/sec", True), ("ft per sec", True), ("ft/s", True), ("ft/min", False), ("ft", False)):
        assert is_right("3\\sqrt{5}\\text{ ft/s}", f"3\\sqrt{{5}}{written.format(unit)}") is right, unit
    assert is_right("3\\sqrt{5}\\text{ ft/s}", "3\\sqrt{5}\\text{ ft}\\cdot\\text{s}^{-1}")
    assert not is_right("3\\sqrt{5}\\text{ ft/s}", "3\\sqrt{5}\\text{ ft}\\cdot\\text{s}")


def test_and_may_stand_with_the_unit_before_it() -> None:
    reference = "\\frac{10}{49}\\text{ meters}, \\frac{20}{49}\\text{ seconds}"
    for order in ((10, 20), (20, 10)):
        answer = "\\frac{{{}}}{{49}}\\text{{ meters and }}\\frac{{{}}}{{49}}\\text{{ seconds}}".format(*order)
        assert is_right(reference, answer) is (order == (10, 20))
    assert is_right("3.5\\text{ hours}", "3\\text{ hours and }30\\text{ minutes}")


@pytest.mark.parametrize(
    ("written", "right"), [("5' 6''", True), ("5'6\"", True), ("5′6″", True), ("6' 5''", False), ("5' 16''", False)]
)
def test_feet_and_inches_by_their_marks(written: str, right: bool) -> None:
    for reference in ("66\\text{ inches}", "5\\text{ feet }6\\text{ inches}", "5.5\\text{ ft}"):
        assert is_right(reference, written) is right


SCALES = {
    "mio": 6, "mln": 6, "Mio": 6, "mn": 6, "bn": 9, "mrd": 9, "Mrd": 9, "lakh": 5, "crore": 7, "million": 6,
}  # fmt: skip


@given(st.integers(1, 9999), st.sampled_from(sorted(SCALES)), st.booleans())
def test_a_scale_is_no_noun(count: int, scale: str, attached: bool) -> None:
    answer = f"{count}{'' if attached and len(scale) < 4 else ' '}{scale}"
    for said in (answer, f"\\text{{{answer}}}"):
        assert is_right(str(count * 10 ** SCALES[scale]), said), said
        assert not is_right(str(count), said), said
    (found,) = NumericVerifier().verify([Sample(response=f"The answer is {answer}.", reference=count)])
    assert found.outcome is not Outcome.CORRECT


SAID = {5: "five", 15: "fifteen", 21: "twenty-one", 100: "one hundred", 5_000_000: "five million"}


@pytest.mark.parametrize("number", sorted(SAID))
@pytest.mark.parametrize("sign", ["-", "- ", "minus ", "negative ", "minus-", "Minus "])
def test_a_sign_before_a_number_in_words_counts(number: int, sign: str) -> None:
    for said in (f"{sign}{SAID[number]}", f"\\text{{{sign}{SAID[number]}}}"):
        assert is_right(str(-number), said), said
        assert not is_right(str(number), said), said


@pytest.mark.parametrize("number", sorted(SAID))
@pytest.mark.parametrize("sign", ["minus -", "negative -", "minus - ", "minus minus ", "negative minus "])
def test_two_signs_are_no_one_sign(number: int, sign: str) -> None:
    for said in (f"{sign}{number}", f"{sign}{SAID[number]}", f"\\text{{{sign}}}{number}"):
        assert not is_right(str(-number), said), said


NOTES = ("answer", "the result", "what was asked", "= total")


@given(st.sampled_from(("81", "3.5", "\\frac{1}{2}", "2^{10}", "x^2 + 1", "(1, 2)")), st.sampled_from(NOTES), st.data())
def test_a_note_at_a_brace_is_not_the_answer(value: str, note: str, data: st.DataObject) -> None:
    side, sign = data.draw(st.sampled_from((("under", "_"), ("over", "^"))))
    answer = f"\\{side}brace{{{value}}}{sign}{{\\text{{{note}}}}}"
    assert is_right(value, answer)
    assert not is_right("82", answer)
    assert not is_right(value, answer.replace(value, f"{value} \\ldots {value}"))
