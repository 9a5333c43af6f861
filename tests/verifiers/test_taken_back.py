"""An answer that is taken back is none, what stands instead counts; and a value that only bounds it is none."""

from __future__ import annotations

from itertools import product

import pytest

from trueward import Outcome, Sample
from verifiers import registry

ANNOUNCED = ["\\boxed{{{}}}", "The answer is {}.", "**Answer:** {}", "<answer>{}</answer>", "#### {}"]
RETRACTIONS = [
    "Wait, actually it is {}.",
    "Wait, no: it is {}.",
    "No, wait. It's {}.",
    "I made a mistake. The sum is {}.",
    "I made an arithmetic error, so the sum is {}.",
    "Correction: {}.",
    "Scratch that, the sum is {}.",
    "On second thought, it is {}.",
    "Actually, it's {}.",
    "Actually, {}.",
    "Wait, that's wrong. We get {}.",
    "It should have been {}.",
]
CHECKS = [
    "Wait, let me verify: 6 * 7 = 42. Yes.",
    "Actually, this follows from the table.",
    "It should be noted that 6 * 7 = 42.",
    "Let me double-check: 42 - 7 = 35, which fits.",
    "A common mistake is 43.",
    "Note that 43 would be an error.",
]
BEYOND = [
    "less than {}", "fewer than {}", "more than {}", "greater than {}", "exceeds {}", "> {}", "< {}", ">= {}", "<= {}",
    "≥ {}", "everything but {}",
]  # fmt: skip
EXCLUDED = [
    "{} is excluded.",
    "{} is ruled out.",
    "{} fails.",
    "{} does not work.",
    "{} cannot be.",
    "{} is extraneous.",
]
BOUNDS = ["at least {}", "up to {}", "at most {}", "exactly {}"]


def outcome(verifier: str, response: str, reference: str, **metadata: object) -> Outcome:
    sample = Sample.model_validate({"response": response, "reference": reference, "metadata": metadata})
    return registry.create(verifier, {}).verify([sample])[0].outcome


@pytest.mark.parametrize("verifier", ["math", "numeric"])
@pytest.mark.parametrize(("announced", "retraction"), [*product(ANNOUNCED, RETRACTIONS)])
def test_what_stands_instead_of_an_answer_that_is_taken_back_counts(
    verifier: str, announced: str, retraction: str
) -> None:
    response = f"{announced.format(42)}\n\n{retraction.format(43)}"
    assert outcome(verifier, response, "42") is not Outcome.CORRECT
    assert outcome(verifier, response, "43") is Outcome.CORRECT


@pytest.mark.parametrize(("announced", "check"), [*product(ANNOUNCED, CHECKS)])
def test_an_answer_that_is_checked_or_commented_on_stays_one(announced: str, check: str) -> None:
    assert outcome("math", f"{announced.format(42)}\n\n{check}", "42") is Outcome.CORRECT


@pytest.mark.parametrize(
    "joined", ["A, no wait B", "A... actually B", "A. Actually, B.", "A. Wait, I made a mistake: B."]
)
def test_an_option_that_is_taken_back_is_not_chosen(joined: str) -> None:
    assert outcome("choice", joined, "A") is not Outcome.CORRECT
    assert outcome("choice", joined, "B") is Outcome.CORRECT


@pytest.mark.parametrize(("lead", "beyond"), [*product(["So the total is ", "It has ", "x "], BEYOND)])
def test_a_value_that_something_is_beyond_is_not_the_answer(lead: str, beyond: str) -> None:
    said = beyond.format(42)
    assert outcome("math", f"{lead}{said}.", "42") is not Outcome.CORRECT
    assert outcome("numeric", f"{lead}{said}", "42") is not Outcome.CORRECT
    assert outcome("quantity", f"{lead}{said} m", "42 m") is not Outcome.CORRECT


@pytest.mark.parametrize("excluded", EXCLUDED)
def test_a_value_that_is_ruled_out_is_not_the_answer(excluded: str) -> None:
    assert outcome("math", f"So {excluded.format(42)}", "42") is not Outcome.CORRECT


@pytest.mark.parametrize("bound", BOUNDS)
def test_a_least_or_most_value_is_what_questions_ask_for(bound: str) -> None:
    assert outcome("math", f"So she needs {bound.format(42)} dollars.", "42") is Outcome.CORRECT
    assert outcome("quantity", f"It takes {bound.format(42)} m", "42 m") is Outcome.CORRECT


@pytest.mark.parametrize("scale", ["thousand", "million", "billion"])
def test_a_scale_belongs_to_its_number(scale: str) -> None:
    for verifier in ("math", "numeric"):
        assert outcome(verifier, f"The city has 3 {scale} people.", "3") is not Outcome.CORRECT
        zeros = {"thousand": 3, "million": 6, "billion": 9}[scale]
        assert outcome(verifier, f"The city has 3 {scale} people.", "3" + "0" * zeros) is Outcome.CORRECT


@pytest.mark.parametrize("quoted", ["> 42", "> Answer: 42", "Answer:\n> 42", "Answer -> 42", "Answer → 42"])
def test_a_sign_of_quotation_or_an_arrow_compares_nothing(quoted: str) -> None:
    assert outcome("math", quoted, "42") is Outcome.CORRECT


@pytest.mark.parametrize("apart", [";", "; ", " and also ", " or else ", " or maybe "])
def test_two_values_announced_side_by_side_are_neither(apart: str) -> None:
    for wrap in ("{}", "${}$"):
        said = apart.join(wrap.format(value) for value in (42, 43))
        assert outcome("math", f"Answer: {said}", "42") is not Outcome.CORRECT


@pytest.mark.parametrize("struck", ["~~{}~~", "<s>{}</s>", "<del>{}</del>", "<strike>{}</strike>"])
@pytest.mark.parametrize("announced", ["{}", "Answer: {}", "The answer is {}.", "So the total is {}."])
def test_what_is_struck_out_is_not_said(struck: str, announced: str) -> None:
    gone = struck.format(43)
    assert outcome("math", announced.format(f"{gone} 42"), "42") is Outcome.CORRECT
    assert outcome("math", announced.format(f"{gone} 42"), "43") is not Outcome.CORRECT
    assert outcome("math", announced.format(gone), "43") is not Outcome.CORRECT


@pytest.mark.parametrize("tag", ["b", "p", "strong", "em", "span class='x'", "div", "h3"])
@pytest.mark.parametrize(
    "written", ["{0}42{1}", "Answer: {0}42{1}", "{0}Answer:{1} 42", "{0}Answer: 42{1}", "{0}42{1}<br>"]
)
def test_tags_of_html_are_no_signs(tag: str, written: str) -> None:
    assert outcome("math", written.format(f"<{tag}>", f"</{tag.split()[0]}>"), "42") is Outcome.CORRECT


@pytest.mark.parametrize("chain", ["5~~6", "$5~~6$", "5<b>6", "$5~~or~~6$"])
def test_ties_and_comparisons_strike_nothing_out(chain: str) -> None:
    assert outcome("math", f"Answer: {chain}", "5") is not Outcome.CORRECT
    assert outcome("math", "Answer: $5~~\\text{cm}~~$", "5") is Outcome.CORRECT


@pytest.mark.parametrize(
    "reason", ["(since x > 0)", "since x > 0", "(we reject x = -3)", "[rejecting -3]", "(we discard -3)"]
)
def test_a_reason_after_the_last_value_is_not_the_answer(reason: str) -> None:
    assert outcome("math", f"So x = 42 {reason}.", "42") is Outcome.CORRECT


@pytest.mark.parametrize("said", ["So we reject x = 42.", "x = 42 is rejected.", "We discard x = 42."])
def test_a_value_that_is_rejected_is_not_the_answer(said: str) -> None:
    assert outcome("math", said, "42") is not Outcome.CORRECT


@pytest.mark.parametrize("arrow", ["=> ", "==> ", "-> ", "--> ", "→ ", "⇒ ", "$\\therefore$ ", "∴ x = "])
def test_an_arrow_leads_to_the_answer(arrow: str) -> None:
    assert outcome("math", f"{arrow}42", "42") is Outcome.CORRECT
