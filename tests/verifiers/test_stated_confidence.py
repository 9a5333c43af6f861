"""``stated_confidence``: what is taken off a response, and that no text makes it slow."""

from __future__ import annotations

import time

import pytest

from trueward import Sample
from trueward.wire.sample import Message
from verifiers import registry
from verifiers.stated_confidence import METADATA, StatedConfidenceVerifier, statement_of


def reader(**params: object) -> StatedConfidenceVerifier:
    made = registry.create("stated_confidence", params)  # type: ignore[arg-type]
    assert isinstance(made, StatedConfidenceVerifier)
    return made


@pytest.mark.parametrize(
    ("response", "bare", "statement"),
    [
        ("It is 42.\n\nConfidence: 9\n", "It is 42.", "Confidence: 9"),
        ("It is 42. I am 90% sure.", "It is 42.", "I am 90% sure."),
        ("<answer>42</answer><confidence>high</confidence>", "<answer>42</answer>", "<confidence>high</confidence>"),
        ("Confidence: 9", "", "Confidence: 9"),
    ],
)
def test_a_statement_is_taken_off_and_kept(response: str, bare: str, statement: str) -> None:
    sample = Sample(prompt="6 x 7?", response=response, metadata={"kind": "sums"})
    apart = reader().split_statement(sample)
    assert apart.response == bare
    assert apart.metadata == {"kind": "sums", METADATA: statement}
    assert sample.response == response, "the caller's sample is not changed"
    assert reader().verify([apart])[0].score == reader().verify([sample])[0].score or not bare
    assert reader().split_statement(apart) is apart


def test_the_last_message_of_the_policy_is_the_one_that_states() -> None:
    said = [Message(role="assistant", content="Confidence: 2"), Message(role="assistant", content="42. Confidence: 8")]
    apart = reader().split_statement(Sample(response=said))
    assert apart.response_text == "Confidence: 2\n\n42."
    answered = [*said, Message(role="user", content="Confidence: 1")]
    assert reader().split_statement(Sample(response=answered)).response == answered


def test_what_states_nothing_stays_as_it_is() -> None:
    for response in ("It is 42.", "Confidence is key", "Confidence: 9, I think", ""):
        sample = Sample(response=response)
        assert reader().split_statement(sample) is sample
    assert reader(words={"key": 1.0}).split_statement(Sample(response="Confidence is key")).response == ""


@pytest.mark.parametrize("piece", ["confidence ", "confidence:", "* ", "i am ", "9", "my \t", "<confidence>", " "])
def test_no_text_makes_it_slow(piece: str) -> None:
    started = time.perf_counter()
    for end in ("", "!", "\n9"):
        statement_of(piece * (1_000_000 // len(piece)) + end)
    assert time.perf_counter() - started < 0.5
