"""The math verifier as a whole: the algebra of its exact path, the split into tasks, and its guards."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Abstain, Outcome, Sample, Verdict
from verifiers.math import MathParams, MathVerifier
from verifiers.math.compare import Tolerance, compare
from verifiers.math.decide import decide
from verifiers.math.guard import danger
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.surface import plain
from verifiers.math.single import single
from verifiers.math.verifier import Comparison
from verifiers.rational import TooLarge

MATH = MathVerifier()


def judge(answer: str, reference: JsonValue, verifier: MathVerifier = MATH) -> Verdict:
    return verifier.verify([Sample(response=f"\\boxed{{{answer}}}", reference=reference)])[0]


def spellings(value: Fraction) -> st.SearchStrategy[str]:
    """Ways to write a rational number that mean the same."""
    n, d = value.numerator, value.denominator
    ways = [f"{n}/{d}", f"\\frac{{{n}}}{{{d}}}", f"\\dfrac{{{3 * n}}}{{{3 * d}}}", f"${n}/{d}$", f"x = {n}/{d}"]
    ways += [f"\\left(\\frac{{{n}}}{{{d}}}\\right)", f"\\text{{{n}/{d}}}"]
    if d == 1:
        ways += [str(n), f"{n}.0", f"{n:,}", f"{n:+d}", f"**{n}**", f"{n} apples", f"{n}.", f"\\mathbf{{{n}}}"]
    return st.sampled_from(ways)


RATIONALS = st.integers(-(10**9), 10**9).map(Fraction) | st.fractions(-(10**4), 10**4, max_denominator=10**4)


@given(RATIONALS.flatmap(lambda value: st.tuples(spellings(value), spellings(value))))
def test_two_spellings_of_one_number_are_equal_in_both_directions(pair: tuple[str, str]) -> None:
    one, other = pair
    assert judge(one, other).outcome is Outcome.CORRECT
    assert judge(other, one).outcome is Outcome.CORRECT


@given(RATIONALS, RATIONALS, st.data())
def test_different_numbers_are_unequal_in_every_spelling(one: Fraction, other: Fraction, data: st.DataObject) -> None:
    assume(one != other)
    verdict = judge(data.draw(spellings(one)), data.draw(spellings(other)))
    assert verdict.outcome is Outcome.INCORRECT


@given(st.integers(0, 10**40).map(str), st.data())
def test_a_changed_digit_flips_the_verdict(number: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(number) - 1))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != number[place]]))
    changed = number[:place] + digit + number[place + 1 :]
    assert judge(number, number).outcome is Outcome.CORRECT
    assert judge(changed, number).outcome is Outcome.INCORRECT


EXPRESSIONS = st.text(alphabet="0123456789+-*/^(){}[]|.,=<>!%$ \\abexyfrcsqtpi_&~'\"", max_size=40)


QUANTITIES = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "x = ", "y = "]),
    st.sampled_from(["50", "0.5", "1/2", "\\frac{1}{3}", "-50", "5000", "0"]),
    st.sampled_from(["", "%", "\\%", " cm", " m", "^\\circ", " dollars", "_{8}"]),
)


@given(QUANTITIES, QUANTITIES)
def test_the_comparison_of_quantities_is_symmetric(one: str, other: str) -> None:
    """Where the question names a base, else digits with its sign are bare ones in one direction alone."""
    tolerance = Tolerance(bases=True)
    there, back = compare(form(one), form(other), tolerance), compare(form(other), form(one), tolerance)
    assert (there and there.equal) == (back and back.equal)


@given(EXPRESSIONS | st.text(max_size=60))
def test_every_text_equals_itself_or_is_refused(text: str) -> None:
    try:
        read = form(text)
    except TooLarge:
        return
    decision = compare(read, read, Tolerance())
    assert decision is not None
    assert decision.equal or (read.false and decision.code == "false_equation")


@given(EXPRESSIONS | st.text(max_size=60))
def test_the_plain_text_stays_what_it_is(text: str) -> None:
    assert plain(plain(plain(text))) == plain(plain(text))


@given(st.text(max_size=300), st.text(max_size=60))
def test_triage_never_raises_anything_but_abstain_and_its_tasks_travel(response: str, reference: str) -> None:
    try:
        found = MATH.triage(Sample(response=response, reference=reference))
    except Abstain:
        return
    if isinstance(found, Verdict):
        found.model_dump_json()
    else:
        assert pickle.loads(pickle.dumps(found)) == found
        assert hash(found) == hash(pickle.loads(pickle.dumps(found)))


@settings(max_examples=60, deadline=None)
@given(EXPRESSIONS, st.sampled_from(["x+1", "\\sqrt{2}", "(1,2)", "x=2", "\\{1,x\\}", "2\\pi", "x>3"]))
def test_whatever_is_in_the_box_gets_an_outcome_that_is_no_error(answer: str, reference: str) -> None:
    verdict = judge(answer, reference)
    assert verdict.outcome is not Outcome.ERROR, verdict
    verdict.model_dump_json()


def test_equal_tasks_are_equal_whatever_the_response_around_the_answer() -> None:
    nested = "\\sqrt[3]{7+5\\sqrt{2}}"
    one = MATH.triage(Sample(id="a", response=f"So \\boxed{{{nested}}}", reference="1+\\sqrt{2}"))
    two = MATH.triage(Sample(id="b", response=f"Hence, at last, \\boxed{{{nested}}}.", reference="1+\\sqrt{2}"))
    assert isinstance(one, Comparison)
    assert one == two
    assert hash(one) == hash(two)


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("(x+3)(x+4)", "x^2+7x+12"),
        ("(x+3)(x+5)", "x^2+7x+12"),
        ("\\frac{10}{2x+6}", "\\frac{5}{x+3}"),
        ("2\\sqrt{3}", "\\sqrt{12}"),
        ("\\frac{3}{4}\\pi", "\\frac{6\\pi}{8}"),
        ("x>3", "(3,\\infty)"),
        ("2x-y+3=0", "y=2x+3"),
        ("\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}", "[[1,2],[3,4]]"),
        ("\\sin^2 x+\\cos^2 x", "1"),
        ("\\{1,\\sqrt{8}\\}", "\\{2\\sqrt{2},1\\}"),
    ],
)
def test_ordinary_forms_never_reach_a_worker(answer: str, reference: str) -> None:
    assert isinstance(MATH.triage(Sample(response=f"\\boxed{{{answer}}}", reference=reference)), Verdict)


def test_tasks_differ_with_the_tolerance() -> None:
    lax = MathVerifier(MathParams(absolute_tolerance=0.1))
    sample = Sample(response="\\boxed{\\sqrt{2}}", reference="1.4")
    assert MATH.triage(sample) != lax.triage(sample)
    assert MATH.verify([sample])[0].outcome is Outcome.INCORRECT
    assert lax.verify([sample])[0].reason_code == "within_tolerance"


def test_prepare_abstains_on_a_reference_that_nobody_can_read() -> None:
    task = MATH.triage(Sample(response="\\boxed{x}", reference="5+"))
    with pytest.raises(Abstain) as refusal:
        MATH.prepare(task)
    assert refusal.value.reason_code == "reference_unparsable"


def test_unequal_rationals_never_reach_a_worker() -> None:
    assert isinstance(MATH.triage(Sample(response="\\boxed{1/3}", reference="1/2")), Verdict)


def test_evidence_says_what_was_found_by_which_rule_and_how_both_sides_were_read() -> None:
    verdict = judge("\\dfrac{10}{12}", "5/6")
    assert verdict.evidence == {
        "extracted": "\\frac{10}{12}",
        "rule": "boxed",
        "answer": "5/6",
        "reference": "5/6",
    }
    symbolic = judge("2\\sqrt{3}", "\\sqrt{12}")
    assert symbolic.evidence["rule"] == "boxed"
    assert symbolic.evidence["reference"] == "\\sqrt{12}"


@pytest.mark.parametrize(
    "text",
    [
        "9^{9^{9^9}}",
        "9^9^9^9",
        "e^{x^{y^{z}}}",
        "2^{123456}",
        "123456!",
        "(((9!)!)!)!",
        "\\binom{123456}{3}",
        "(" * 30 + "x" + ")" * 30,
        "x" * 2000,
        "1" * 100,
        "".join(map(chr, range(0x3B1, 0x3B1 + 50))),
    ],
)
def test_bombs_are_refused_before_any_algebra(text: str) -> None:
    assert danger(text)


@pytest.mark.parametrize(
    "text",
    ["x^2 + y^2 + z^2 + w^2", "x^2y^3z^4w^5", "2^{2^{3}}", "e^{-x^2}", "(x^2)^3", "100!", "x^{10}", "\\binom{52}{5}"],
)
def test_ordinary_mathematics_passes_the_guard(text: str) -> None:
    assert danger(text) is None


@pytest.mark.parametrize("answer", ["9^{9^{9}} + x", "x + 1000!!", "\\frac{1}{x^{9^{9^{2}}}}", "(2^{9999})^{9999} x"])
def test_bombs_that_pass_the_guard_are_weighed_before_evaluation(answer: str) -> None:
    verdict = judge(answer, "x+1")
    assert verdict.outcome in (Outcome.INVALID, Outcome.INCORRECT)
    assert verdict.score == 0.0


REFERENCES = [
    "x+1",
    "\\sqrt{2}",
    "(1,2)",
    "x=2",
    "\\{1,x\\}",
    "2\\pi",
    "x>3",
    "5 cm",
    "k\\pi, k\\in\\mathbb{Z}",
    "red, blue",
    "3:4:5",
]
SPOKEN = (
    "half",
    "a",
    "dozen",
    "three",
    "quarters",
    "million",
    "and",
    "of",
    "the",
    "one",
    "5",
    "x",
    "=",
    ",",
    "pi",
    "or",
)
WORDS = st.lists(st.sampled_from(SPOKEN), max_size=6)


@given(EXPRESSIONS | st.text(max_size=40) | WORDS.map(" ".join), st.sampled_from(REFERENCES))
def test_the_exact_path_raises_nothing_for_any_answer(answer: str, reference: str) -> None:
    try:
        read = form(answer)
    except TooLarge:
        return
    decide(read, form(reference), lambda one, other: single(one, other, Tolerance()))


def test_an_answer_that_crashes_us_is_no_free_null(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing(answer: Form, reference: Form, leaf: object) -> None:
        if answer.text == "x+y":
            raise ValueError("a defect of ours")

    monkeypatch.setattr("verifiers.math.verifier.decide", crashing)
    for reference in ("x", "x+y"):
        assert judge("x+y", reference).outcome is Outcome.INVALID
        assert judge("x+y", reference).reason_code in ("incomparable", "unjudgeable_response")
