"""A name that is only mentioned, limited or one of two is not the answer; one that is explained stays it."""

from __future__ import annotations

from itertools import product

import pytest
from pydantic import JsonValue

from trueward import Outcome, Sample
from verifiers import registry

LABELS = ("positive", "negative", "neutral")
CITIES = {"A": "Paris", "B": "Lyon", "C": "Nice", "D": "Lille"}
DENIALS = [
    "un-{}", "{}? No.", "less than {}", "nowhere near {}", "it can't be called {}", "it fails to be {}",
    "it lacks {} words", "without {} words", "it would be wrong to say {}",
    "nothing {}", "less {}", 'not "{}"', "certainly ~~{}~~", "fine if it were {}", "what I can't call {}",
    "one that I would not say is {}", "one; I don't think it is {}", "long, and it isn't **{}**",
    "a false {}", "hardly {}", "anything but {}", "not at all {}", "other than {}", "everything but {}",
]  # fmt: skip
MENTIONS = [
    "Lyon is bigger than {}", "I doubt it is {}", "It used to be {}", "{} was the capital but now it is Lyon",
    "east of {}", "near {}", "{}/Lyon", "Lyon/{}", "{} (Lyon)", "Lyon ({})", "{} - just kidding, Lyon", "Is it {}?",
    "Lyon replaced {}", "Nothing like {}", "{}. I made a mistake, it is Lyon.", "It is no longer {}",
]  # fmt: skip
SAYINGS = [
    "{}", "It is {}.", "The capital of France is {}.", "{} is the capital of France.", "{}, France", "The city of {}",
    "{} (France)", "{}, which is bigger than Lyon", "I have no doubt that this question asks for a city. It is {}.",
]  # fmt: skip
EXPLAINED = [
    "{0}\n\nExplanation: Paris is the capital; {1} (Lyon) is not.", "{0}\nReason: {1} and {2} are smaller.",
    "{0} is correct; {1}, {2} and {3} are wrong.", "{1}, {2} and {3} are wrong, so {0}.",
    "{1} is a common mistake. So {0}.",
]  # fmt: skip
HEDGES = ['["{0}", "{1}"]', '{{"answer": ["{0}", "{1}"]}}', "{0} or {1}", "{0} is a common mistake", "{0} is a trap"]


def outcome(verifier: str, response: str, reference: str, **fields: object) -> Outcome:
    params: dict[str, JsonValue] = {"labels": [*LABELS]} if verifier == "label" else {}
    sample = Sample.model_validate({"response": response, "reference": reference, **fields})
    return registry.create(verifier, params).verify([sample])[0].outcome


@pytest.mark.parametrize(("denial", "label"), [*product(DENIALS, LABELS)])
def test_a_label_that_is_denied_is_not_chosen(denial: str, label: str) -> None:
    assert outcome("label", f"The review is {denial.format(label)}", label) is not Outcome.CORRECT


@pytest.mark.parametrize("label", LABELS)
def test_a_label_beside_a_denied_one_is_chosen(label: str) -> None:
    other = LABELS[LABELS.index(label) - 1]
    assert outcome("label", f"The review is {label}, nowhere near {other}.", label) is Outcome.CORRECT


@pytest.mark.parametrize("mention", MENTIONS)
@pytest.mark.parametrize("prompt", ["Which city is the capital of France?", "Where is the Louvre?"])
def test_a_name_that_is_only_mentioned_is_not_said(mention: str, prompt: str) -> None:
    assert outcome("equivalence", mention.format("Paris"), "Paris", prompt=prompt) is not Outcome.CORRECT


@pytest.mark.parametrize("saying", SAYINGS)
def test_a_name_that_is_said_in_a_sentence_is_said(saying: str) -> None:
    prompt = "Which city is the capital of France?"
    assert outcome("equivalence", saying.format("Paris"), "Paris", prompt=prompt) is Outcome.CORRECT


@pytest.mark.parametrize("explained", EXPLAINED)
@pytest.mark.parametrize("turn", range(4))
def test_options_that_reasons_name_are_not_chosen(explained: str, turn: int) -> None:
    letters = [*CITIES][turn:] + [*CITIES][:turn]
    response = explained.format(*letters)
    assert outcome("choice", response, letters[0]) is Outcome.CORRECT
    assert outcome("choice", response, letters[1]) is not Outcome.CORRECT


@pytest.mark.parametrize("hedge", HEDGES)
def test_an_option_among_others_or_called_a_mistake_is_not_chosen(hedge: str) -> None:
    said = hedge.format("B", "D")
    assert outcome("choice", said, "B", metadata={"choices": CITIES}) is not Outcome.CORRECT
    assert (outcome("choice", said, "BD") is Outcome.CORRECT) is said.startswith(("[", "{"))
