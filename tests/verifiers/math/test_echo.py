"""A formula of the question is no answer to it; what is worked out, or written as the reference is, stays one."""

from __future__ import annotations

import time

import pytest

from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.math import MathVerifier
from verifiers.math.algebra.grammar import expression
from verifiers.math.echo import echoes
from verifiers.math.required import Required
from verifiers.math.verifier import Comparison, MathParams
from verifiers.numeric import NumericVerifier

ECHOES = [
    ("What is 17 * 23?", "17 * 23", "391"),
    ("What is $17 \\times 23$?", "17 \\cdot 23", "391"),
    ("Write 3/8 as a decimal.", "\\frac{3}{8}", "0.375"),
    ("Write $\\frac38$ as a decimal.", "3/8", "0.375"),
    ("Simplify $\\sqrt{72}$.", "\\sqrt{72}", "6\\sqrt{2}"),
    ("For which real x is 2x + 1 > 7?", "2x+1 > 7", "(3, \\infty)"),
    ("Factor x^2 - 5x + 6.", "x^2-5x+6", "(x-2)(x-3)"),
    ("What is -3 - (-8) - 12?", "-3 - (-8) - 12", "-7"),
    ("Compute 10² + 1.", "10^2 + 1", "101"),
    ("Write 0.375 as a fraction.", "0.375", "\\frac{3}{8}"),
    ("Write 37.5\\% as a decimal.", "37.5\\%", "0.375"),
    ("What is 17 * 23?", "(23)(17) + 0", "391"),
    ("1. What is 17 x 23?", "23 * 17 = 17 * 23", "391"),
    ("Solve 2x = 4.", "4 = 2x", "x = 2"),
    ("Find the greatest common divisor of 84 and 36.", "\\gcd(36, 84)", "12"),
]
ANSWERS = [
    ("What is 6 * 7?", "42", "42"),
    ("What is 6 * 7?", "6 * 7 = 42", "42"),
    ("Which is larger, 1/2 or 1/3?", "\\frac{1}{2}", "1/2"),
    ("If x = 4, what is x^2 / 4?", "x = 4", "4"),
    ("Are the roots x = \\pm 4 or x = 4?", "\\pm 4", "x = \\pm 4"),
    ("On [0, 1], what is the range of x^2?", "[0, 1]", "[0,1]"),
    ("Compute 11/23 + 1/46.", "1/2", "0.5"),
    ("Compute 1/23 + 21/46.", "1/2", "0.5"),
    ("Which is larger, 2^{10} or 1000?", "2^{10}", "2^{10}"),
    ("", "17 * 23", "391"),
    ("Is it 25% or 30%?", "25%", "25"),
    ("Is 0.5 more than 0.25?", "0.5", "0.50"),
    ("Write 12 = 2 * 6 by primes.", "3 * 2^2", "2^2 * 3"),
    ("Compute 2^5 * 2^5.", "2^{10}", "1024"),
    ("Evaluate $\\sum_{k=0}^5 \\binom{5}{k}^2$.", "\\binom{10}{5}", "252"),
    ("Write $y = 2x + 3$ in standard form.", "2x - y + 3 = 0", "2x - y = -3"),
]


@pytest.mark.parametrize(("prompt", "answer", "reference"), ECHOES)
def test_a_formula_of_the_question_is_not_worked_out(prompt: str, answer: str, reference: str) -> None:
    assert echoes(prompt, answer, (reference,))
    found = MathVerifier().triage(Sample(prompt=prompt, response=f"\\boxed{{{answer}}}", reference=reference))
    assert isinstance(found, Verdict)
    assert (found.outcome, found.reason_code) == ("incorrect", "echoes_question")


@pytest.mark.parametrize(("prompt", "answer", "reference"), ANSWERS)
def test_an_answer_stays_one(prompt: str, answer: str, reference: str) -> None:
    assert not echoes(prompt, answer, (reference,))


def test_what_only_a_worker_can_compare_is_no_echo_before_the_reference_was_read() -> None:
    """Where the reference cannot be read nobody can tell, whatever the answer repeats."""
    verifier = MathVerifier()
    asked = "\\sum_{n=0}^\\infty \\frac{1}{2^n}"
    task = verifier.triage(Sample(prompt=f"Compute {asked}.", response=f"\\boxed{{{asked}}}", reference="2"))
    assert isinstance(task, Comparison)
    assert task.echo
    verifier.prepare(task)
    assert verifier.check(task._replace(echo=False)).outcome == "correct"
    found = verifier.check(task)
    assert (found.outcome, found.reason_code) == ("incorrect", "echoes_question")
    unreadable = verifier.triage(
        Sample(prompt=f"Compute {asked}.", response=f"\\boxed{{{asked}}}", reference="\\frac{x}{")
    )
    assert isinstance(unreadable, Comparison)
    with pytest.raises(Abstain):
        verifier.prepare(unreadable)


def test_the_question_itself_is_no_number_either() -> None:
    [verdict] = NumericVerifier().verify([Sample(prompt="What is 6 * 7?", response="What is 6 * 7?", reference=42)])
    assert (verdict.outcome, verdict.reason_code) == ("incorrect", "echoes_question")


def test_an_answer_that_is_not_right_for_another_reason_than_its_value_is_not_said_to_differ() -> None:
    samples = [Sample(prompt="What is 6 * 7?", response="\\boxed{6 * 7}", reference="42")]
    [echo] = MathVerifier().verify(samples)
    [form] = MathVerifier(MathParams(form=Required.SIMPLIFIED)).verify(
        [Sample(response="\\boxed{6/8}", reference="3/4")]
    )
    assert (echo.reason_code, echo.reason) == ("echoes_question", "the answer repeats a formula of the question")
    assert (form.reason_code, form.reason) == ("unequal_form", "the answer does not have the form that was asked for")


def test_a_wrong_answer_keeps_its_own_reason() -> None:
    found = MathVerifier().triage(Sample(prompt="What is 6 * 7?", response="\\boxed{6 * 7}", reference="41"))
    assert isinstance(found, Verdict)
    assert found.reason_code == "unequal_rational"


def test_an_option_of_the_question_is_chosen_and_not_worked_out() -> None:
    [found] = MathVerifier().verify(
        [Sample(prompt="Which is even? (A) $x^2$ (B) $x^3$", response="\\boxed{(A) $x^2$}", reference="A")]
    )
    assert (found.outcome, found.reason_code) == ("correct", "equal_option")


@pytest.mark.parametrize("name", ["\\sin", "\\log_2", "\\sqrt\\ln"])
def test_functions_of_functions_are_read_to_a_depth(name: str) -> None:
    assert expression(name * 150 + "2") is None


@pytest.mark.parametrize(
    "text", ["1/2" * 6000, "{" * 20000, "1+" * 10000, "\\frac" * 4000, "x - " * 5000, "1," * 9999, "2x = 4. " * 2500]
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    start = time.process_time()
    echoes(text, "1+1" + text[:5000], ("2",))
    echoes(text, "1/2", ("2",))
    assert time.process_time() - start < 0.5
