"""A value that its sentence denies is no answer, in whatever the value is set and however it is denied."""

from __future__ import annotations

from itertools import product

import pytest

from trueward import Outcome, Sample
from verifiers.choice import ChoiceVerifier
from verifiers.extract.vocabulary import languages, misnamed_before, misnomers
from verifiers.math import MathVerifier

WRITTEN = ("\\boxed{{{}}}", "$\\boxed{{{}}}$", "**\\boxed{{{}}}**", "\\fbox{{{}}}")
BEFORE = (
    "The answer is not {}.",
    "It isn't {}.",
    "The answer cannot be {}.",
    "La respuesta no es {}.",
    "Die Antwort ist nicht {}.",
    "答案不是{}。",
    "We have $x \\ne$ {}.",
    "The incorrect answer: {}",
    "A tempting but wrong answer would be {}.",
    "A common wrong answer is {}",
    "Not the answer: {}",
    "One might think it is {}.",
    "Distractor: {}.",
    "Die falsche Antwort ist {}.",
    "错误的答案是{}。",
)
AFTER = (
    "{} is wrong.",
    "{} is incorrect.",
    "{} is not the answer.",
    "{} would be wrong.",
    "{} isn't correct.",
    "{}是错的。",
    "{} est faux.",
    "{} ist falsch.",
    "Many answer {}, but that is wrong.",
    "The key says {}, which is a typo.",
    "Many answer {}, which is wrong\n\nSo much for that.",
)
HARMLESS = (
    "Decide whether it converges or not. {}",
    "whether it converges or not: {}",
    "The value is not 3, but {}.",
    "It is nothing other than {}.",
    "{} is right.",
    "{}, and not 3.",
    "If it were wrong we would see it. So {}.",
    "The number of wrong answers is {}.",
    "The chance of a wrong answer is {}.",
    "We may conclude that the answer is {}.",
    "The false root is discarded, so the solution is {}.",
    "Avoiding the common mistake, we get {}.",
    "It is {}, which is not possible to simplify.",
    "5.1 is not the answer, {} is.",
    "It is {}\n- this is wrong for 6 alone.",
)


def outcome(response: str, reference: str) -> Outcome:
    (verdict,) = MathVerifier().verify([Sample(response=response, reference=reference)])
    return verdict.outcome


@pytest.mark.parametrize(("said", "written"), [*product(BEFORE + AFTER, WRITTEN)])
def test_a_denied_box_is_no_answer(said: str, written: str) -> None:
    denied = said.format(written.format("5"))
    assert outcome(denied, "5") is not Outcome.CORRECT
    assert outcome(f"{written.format('6')}\n\n{denied}", "6") is Outcome.CORRECT
    assert outcome(f"{denied} The answer is 6.", "6") is Outcome.CORRECT


@pytest.mark.parametrize(("said", "written"), [*product(HARMLESS, WRITTEN)])
def test_a_box_beside_another_negation_is_one(said: str, written: str) -> None:
    assert outcome(said.format(written.format("5")), "5") is Outcome.CORRECT


def test_whatever_is_called_a_wrong_answer_holds_a_misnomer() -> None:
    for known in languages():
        for misnomer, noun in product(known.misnomers, known.nouns):
            said = f"{misnomer}{noun}" if known.unspaced else f"{misnomer} {noun}"
            assert misnamed_before().search(f"{said}: ") is not None
            assert any(word in said for word in misnomers())


@pytest.mark.parametrize("name", ["wrong", "incorrect", "mistaken", "**wrong**"])
def test_what_is_called_the_wrong_answer_is_none(name: str) -> None:
    assert outcome(f"The {name} answer is 12.", "12") is not Outcome.CORRECT
    assert outcome(f"The {name} answer is 12. The right answer is 13.", "13") is Outcome.CORRECT


@pytest.mark.parametrize("said", [*(one for one in BEFORE[-8:] if "Not" not in one), AFTER[-3]])
def test_an_option_is_denied_by_the_same_words(said: str) -> None:
    for response, reference in ((said.format("B"), "B"), (f"{said.format('B')} The answer is C.", "C")):
        (verdict,) = ChoiceVerifier().verify([Sample(response=response, reference=reference)])
        assert (verdict.outcome is Outcome.CORRECT) == (reference == "C")


@pytest.mark.parametrize("said", ["12 is not the answer.", "12 is incorrect.", "The answer, 12, is not correct."])
def test_a_bare_number_that_is_denied_is_none(said: str) -> None:
    assert outcome(said, "12") is not Outcome.CORRECT


def test_boxes_without_end_that_are_denied_take_no_time() -> None:
    assert outcome("not \\boxed{1}, " * 5_000, "1") is Outcome.INVALID


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        ('{"answer": 12}', "12"),
        ('{"answer": "12"}', "12"),
        ('```json\n{\n  "reasoning": "6*2 = 11?",\n  "final_answer": "12"\n}\n```', "12"),
        ('{"answer": "\\\\frac{1}{2}"}', "1/2"),
        ('{"confidence": 0.9, "answer": -2.5e3}', "-2500"),
        ('{"answer": "x = 5", "confidence": 0.9}', "5"),
    ],
)
def test_the_answer_of_a_json_object_is_its_value(written: str, reference: str) -> None:
    assert outcome(written, reference) is Outcome.CORRECT
    assert outcome(written, "0.9") is not Outcome.CORRECT
