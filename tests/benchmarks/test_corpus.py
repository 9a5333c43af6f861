"""The benchmarks' samples are what they claim: distinct, mixed as asked, right and wrong by construction."""

from __future__ import annotations

from collections import Counter

from benchmarks.corpus import GROUP, Item, corpus, rollouts
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers.math import MathVerifier


def sample(item: Item) -> Sample:
    return Sample(prompt=item.prompt, response=item.response, reference=item.reference)


def test_no_two_items_share_their_answer_and_reference() -> None:
    pairs = {(item.response.rpartition("boxed")[2], item.reference) for item in corpus(5_000)}
    assert len(pairs) == 5_000


def test_the_same_seed_gives_the_same_items_and_another_gives_others() -> None:
    assert list(corpus(50, seed=3)) == list(corpus(50, seed=3)) != list(corpus(50, seed=4))


def test_the_mix_is_as_asked() -> None:
    share = sum(item.symbolic for item in corpus(5_000, symbolic_share=0.2)) / 5_000
    assert 0.17 < share < 0.23
    assert not any(item.symbolic for item in corpus(500, symbolic_share=0.0))


def test_items_are_right_and_wrong_as_their_construction_says() -> None:
    items = list(corpus(300))
    verdicts = MathVerifier().verify([sample(item) for item in items])
    assert [verdict.outcome == "correct" for verdict in verdicts] == [item.correct for item in items]


def test_simple_items_never_need_a_worker() -> None:
    verifier = MathVerifier()
    assert all(isinstance(verifier.triage(sample(item)), Verdict) for item in corpus(500, symbolic_share=0.0))


def test_rollouts_are_whole_groups_of_distinct_responses_to_a_prompt() -> None:
    items = list(rollouts(2 * 128 * GROUP, seed=1))
    assert set(Counter((item.prompt, item.reference) for item in items).values()) == {GROUP}
    assert len({item.response for item in items}) == len(items)
    assert all(item.prompt.endswith("<|im_start|>assistant\n") for item in items)


def test_rollouts_are_right_and_wrong_as_their_construction_says() -> None:
    items = list(rollouts(1_000, seed=2, symbolic_share=0.5))
    verdicts = MathVerifier().verify([sample(item) for item in items])
    assert [verdict.outcome == "correct" for verdict in verdicts] == [item.correct for item in items]
    assert 0.4 < sum(item.correct for item in items) / len(items) < 0.6


def test_answers_of_rollouts_repeat_within_their_group() -> None:
    items = list(rollouts(128 * GROUP, seed=3))
    pairs = {(item.response.rpartition("boxed")[2], item.reference) for item in items}
    assert 0.3 < 1 - len(pairs) / len(items) < 0.6
