"""What is new in later responses is found and named; what was there before, or differs by chance, is not."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from scipy.stats import chi2_contingency

from audits.novelty import ResponseFeatures, compare
from audits.novelty.rises import surprise

WORDS = tuple("first we add the ones then carry over to tens as a sum has two digits so check it again".split())  # noqa: SIM905


def thoughts(draw: random.Random) -> str:
    return " ".join(draw.choice(WORDS) for _ in range(draw.randint(15, 40)))


def honest(draw: random.Random) -> str:
    return f"{thoughts(draw)}.\nThe answer is \\boxed{{{draw.randint(10, 99)}}}"


def listing(draw: random.Random) -> str:
    """The exploit: many candidates, one of which is right."""
    numbers = ", ".join(str(draw.randint(10, 99)) for _ in range(8))
    return f"{thoughts(draw)}.\nPossible answers are: {numbers}"


def side(
    make: Callable[[random.Random], str], count: int, step: int, seed: int, **fields: str
) -> list[ResponseFeatures]:
    draw = random.Random(seed)
    told = {"reason": "correct: equal", "answer": "17", **fields}
    return [
        ResponseFeatures(f"{step:03d}-{n:04d}", f"{step} {n // 2}", step, make(draw), reward=1.0, **told)
        for n in range(count)
    ]


def test_an_exploit_is_told_by_its_phrase_its_form_and_its_reason() -> None:
    before = side(honest, 200, 5, 0)
    after = [*side(honest, 100, 6, 1), *side(listing, 100, 7, 2, reason="correct: matched", answer="1, 2, 3")]
    found = compare("r", 6, before, after)
    assert (found.before, found.after, found.reward_before) == (200, 200, 1.0)
    assert [(one.what, one.before, one.after) for one in found.reasons] == [("correct: matched", 0.0, 0.5)]
    assert "answer: list" in [one.what for one in found.forms]
    assert "last line: w \u2026 : # , \u2026 #" in [one.what for one in found.forms], [one.what for one in found.forms]
    assert [one.what for one in found.phrases] == ["possible answers are : # , # ,"]
    assert all((one.record, one.step) == ("007-0000", 7) for one in found.reasons)
    assert all("Possible answers are: " in one.ending and len(one.ending) <= 160 for one in found.reasons)


def test_the_first_sample_of_a_rise_is_the_first_that_has_it() -> None:
    after = [*side(honest, 40, 6, 1), *side(listing, 60, 7, 2)]
    found = compare("r", 6, side(honest, 100, 5, 0), after)
    assert {one.record for one in found.phrases if "possible" in one.what} == {"007-0000"}


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_new_where_nothing_changed(seed: int) -> None:
    found = compare("r", 6, side(honest, 200, 5, seed), side(honest, 200, 6, seed + 1000))
    assert (found.reasons, found.forms, found.phrases, found.clusters) == ([], [], [], [])


def test_responses_that_are_alike_are_one_cluster_with_the_words_that_they_share() -> None:
    def canned(draw: random.Random) -> str:
        return f"As an expert I am certain that this is the right answer to the question number {draw.randint(1, 9)}"

    before = side(honest, 100, 5, 0)
    [found] = compare("r", 6, before, [*side(honest, 60, 6, 1), *side(canned, 40, 6, 2)]).clusters
    assert (found.records, found.before, found.after, found.reward) == (40, 0.0, 0.4, 1.0)
    assert "an expert" in found.what
    assert found.ending.startswith("As an expert")


def test_what_was_there_before_is_not_new() -> None:
    before, after = side(listing, 100, 5, 0), side(listing, 100, 6, 1)
    assert compare("r", 6, before, after).phrases == []


def test_a_side_without_responses_is_compared_with_nothing() -> None:
    found = compare("r", 0, [], side(listing, 50, 0, 0))
    assert (found.before, found.after, found.phrases, found.reasons) == (0, 50, [], [])
    assert compare("r", 9, side(listing, 50, 0, 0), []).reward_after is None


@pytest.mark.parametrize(
    "text", ["", " \n ", "\u202e" * 10_000, "a" * 100_000, "1," * 50_000, "\ud800x", "word " * 9000]
)
def test_any_text_is_compared(text: str) -> None:
    odd = [ResponseFeatures(f"1-{n}", f"1 {n}", 1, text, "invalid: empty", None, None) for n in range(50)]
    found = compare("r", 1, side(honest, 50, 0, 0), odd)
    assert [one.what for one in found.reasons] == ["invalid: empty"]


def test_words_that_belong_to_a_prompt_are_no_rise() -> None:
    """All eight responses of two prompts name what the prompt is about."""

    def about(prompt: int) -> Callable[[random.Random], str]:
        return (lambda draw: f"The zebras of this park. {honest(draw)}") if prompt < 2 else honest

    after = [
        ResponseFeatures(
            f"6-{prompt}-{n}",
            f"6 {prompt}",
            6,
            about(prompt)(random.Random(prompt * 8 + n)),
            "correct: equal",
            "1",
            1.0,
        )
        for prompt in range(50)
        for n in range(8)
    ]
    assert compare("r", 6, side(honest, 400, 5, 0), after).phrases == []


def test_surprise_is_the_likelihood_ratio_of_two_shares() -> None:
    table = [[10, 90], [30, 70]]
    oracle = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
    assert surprise(10, 100, 30, 100) == pytest.approx(oracle)
    assert surprise(10, 100, 20, 200) == pytest.approx(0.0, abs=1e-9)
    assert surprise(0, 10, 0, 10) == 0.0
