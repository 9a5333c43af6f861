"""A value that its sentence does not claim is no answer: doubted, supposed, asked, ascribed to others, rejected."""

from __future__ import annotations

import time
from itertools import product

import pytest

from trueward import Outcome, Sample
from verifiers.choice import ChoiceVerifier
from verifiers.math import MathVerifier

WRITTEN = ("\\boxed{{{}}}", "$\\boxed{{{}}}$", "<answer>{}</answer>", "{}")
DENIALS = (
    "It would be a {far}mistake to think that",
    "It would be wrong to say that",
    "It is {far}false that",
    "It is incorrect to claim that",
    "It is {far}unlikely that",
    "It is unclear whether",
    "I do not {far}believe that",
    "I don't think that",
    "I can't confirm that",
    "I am not sure that",
    "I refuse to say that",
    "I doubt {far}that",
    "Nobody says that",
    "Under no circumstances say that",
    "There is no way that",
    "It is not {far}the case that",
    "Some people say that",
    "Many students claim that",
    "My friend thinks",
    "Suppose that",
    "Let us assume that",
    "Check whether",
    "I hesitate to say that",
)
FAR = ("", "really and truly ")
SUBJECTS = ("the answer is", "the correct answer to this exercise of the fourth chapter is")
SUPPOSED = (
    "The answer would be {} if the radius were 7.",
    "The answer would be {}, if it were asked for the sum; it is not.",
    "The answer would be {} but the radius is 7.",
    "It would be {} unless the radius is 7.",
    "You would get {} if you added.",
    "If you multiplied, you would get {}.",
    "If we just added them, we would get {}.",
    "If I took both, it would be {}.",
    "One thing that the result of this can never possibly be is {}.",
    "What the answer cannot be is {}.",
    "The last thing the answer could be is {}.",
    "The result can never equal {}.",
    "Were it a sum, the answer would be {}.",
    "Had we added, the answer would be {}.",
    "The answer would have been {}.",
    "The answer could be {}.",
    "It might be {}.",
    "The answer may well be {}.",
    "When n is even, the answer is {}, when n is odd it is another.",
    "If n is even, the answer is {}; otherwise it is another.",
    "Die Antwort wäre {}, wenn man addierte.",
    "La réponse serait {} si on ajoutait.",
    "The answer is {}?",
    "Is the answer {}?",
    "The answer to a different question is {}.",
    "The answer used to be {}.",
)
REJECTED = (
    "The answer is {}. That is wrong.",
    "The answer is {}. Hmm, that's incorrect.",
    "The answer is {}. This answer is not right.",
    "The answer is {}.\nThe above answer is wrong.",
    "The answer is {}. No.",
    "The answer is {}... NOT!",
    "The answer is {}, which is incorrect.",
    "The answer is {}, but that is wrong.",
    "The answer is {} (wrong)",
    "The answer is {} ✗",
)
CLAIMED = (
    "The answer would be {}.",
    "If we multiply, the answer would be {}.",
    "It is not hard to see that the answer is {}.",
    "It is not wrong to say that the answer is {}.",
    "There is no doubt that the answer is {}.",
    "Without a doubt the answer is {}.",
    "I do not think that 6 is right, so the answer is {}.",
    "It would be a mistake to add. The answer is {}.",
    "It would be wrong to say 6; the answer is {}.",
    "I'm not sure why, but the answer is {}.",
    "Since x is not negative, the answer is {}.",
    "We do not say more, because the answer is {}.",
    "The answer is {}.\n\nThat is wrong for negative numbers alone.",
    "The answer is {}.\n\nNote that adding instead would be wrong.",
    "Is the answer {}? Yes.",
    "What is asked for? The answer is {}.",
    "The answer is {}. If the radius were 7, the answer would be 49.",
    "Some people write log for ln. The answer is {}.",
    "Nobody would object: the answer is {}.",
    "If we multiply them, we would get {}.",
    "The value that x cannot be is {}.",
    "The total cannot be odd, so it is {}.",
    "The result must not be negative, so the answer is {}.",
)


def outcome(response: str, reference: str) -> Outcome:
    (verdict,) = MathVerifier().verify([Sample(response=response, reference=reference)])
    return verdict.outcome


@pytest.mark.parametrize(("frame", "written"), [*product(DENIALS, WRITTEN)])
def test_what_a_clause_takes_back_beforehand_is_no_answer(frame: str, written: str) -> None:
    for far, subject in product(FAR, SUBJECTS):
        said = f"{frame.format(far=far)} {subject} {written.format('5')}."
        assert outcome(said, "5") is not Outcome.CORRECT, said


@pytest.mark.parametrize(("frame", "written"), [*product(SUPPOSED, WRITTEN)])
def test_the_value_of_another_case_is_no_answer(frame: str, written: str) -> None:
    said = frame.format(written.format("5"))
    assert outcome(said, "5") is not Outcome.CORRECT
    assert outcome(f"{said} The answer is 6.", "6") is Outcome.CORRECT


@pytest.mark.parametrize(("frame", "written"), [*product(REJECTED, WRITTEN)])
def test_what_is_rejected_right_after_it_is_no_answer(frame: str, written: str) -> None:
    said = frame.format(written.format("5"))
    assert outcome(said, "5") is not Outcome.CORRECT
    assert outcome(f"{said}\n\nThe answer is 6.", "6") is Outcome.CORRECT


@pytest.mark.parametrize(("frame", "written"), [*product(CLAIMED, WRITTEN)])
def test_what_is_claimed_beside_a_doubt_is_the_answer(frame: str, written: str) -> None:
    assert outcome(frame.format(written.format("5")), "5") is Outcome.CORRECT


@pytest.mark.parametrize("denied", ["<answer>5</answer> is wrong", "Not <answer>5</answer>", "<answer>5</answer>?"])
def test_a_tag_that_is_denied_leaves_the_one_before_it(denied: str) -> None:
    assert outcome(denied, "5") is Outcome.INVALID
    assert outcome(f"<answer>6</answer>\n\n{denied}.", "6") is Outcome.CORRECT
    assert outcome(f"\\boxed{{6}}\n\n{denied}.", "6") is Outcome.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "Answer: B?", "B?", "Is it B?", "at least B", "Answer: at most B", "the option after B", "next to B",
        "Answer: B, which is incorrect", "Answer: B (wrong)", "Answer: ❌ B", "B seems wrong", "B looks incorrect",
        "B is tempting but wrong", "B is plausible, but it is not.", "B would be the wrong choice", "B fails",
        "B = incorrect", "The answer might be B.", "B if the question asked for two", "B, I guess, or C", "B, then C",
        "~~B~~", "B minus", "I don't think it's B", "I doubt it is B", "Under no circumstances choose B.",
        "Most people would say B", "The answer would be B if it were Monday, but it is A.",
        "Although B seems right, it is not.",
    ],
)  # fmt: skip
def test_an_option_that_nobody_claims_is_not_chosen(said: str) -> None:
    (verdict,) = ChoiceVerifier().verify([Sample(response=said, reference="B")])
    assert verdict.outcome is not Outcome.CORRECT


@pytest.mark.parametrize(
    "said",
    [
        "Answer: B, which is correct", "B is correct, not A", "Answer: B. A is wrong.", "B seems right.", "~~A~~ B",
        "The answer would be B.", "B, or so I think.", "Is it B? Yes.", "Answer: B; then we are done.", "B looks right",
    ],
)  # fmt: skip
def test_an_option_that_is_claimed_is_chosen(said: str) -> None:
    (verdict,) = ChoiceVerifier().verify([Sample(response=said, reference="B")])
    assert verdict.outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    "asked", ["Answer: {}?", "{}?", "Is it {}?", "Answer: B. {}?", "Answer: {} (B)?", "\\boxed{{\\text{{{}?}}}}"]
)
@pytest.mark.parametrize("option", ["Paris", "New York", "a cat"])
def test_an_option_that_is_only_asked_for_by_its_text_is_not_chosen(asked: str, option: str) -> None:
    assert not is_chosen(asked.format(option), "B", option)
    assert is_chosen(asked.format(option).replace("?", ""), "B", option) is ("Is" not in asked)
    assert is_chosen("Answer: Who knows?", "C", option)


def is_chosen(response: str, letter: str, option: str) -> bool:
    sample = Sample(response=response, reference=letter, metadata={"choices": ["Lyon", option, "Who knows?"]})
    (verdict,) = ChoiceVerifier().verify([sample])
    return verdict.outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    "filler",
    [
        "not ",
        "not say ",
        "it would be ",
        "if ",
        "doubt a ",
        "some people ",
        "? ",
        "<answer>5</answer> ",
        "answer is 5? ",
        "result can ",
        "if we added ",
    ],
)
def test_doubts_without_end_take_no_time(filler: str) -> None:
    started = time.process_time()
    for written in WRITTEN:
        outcome(filler * (200_000 // len(filler)) + written.format("5") + filler * (200_000 // len(filler)), "5")
    assert time.process_time() - started < 10
