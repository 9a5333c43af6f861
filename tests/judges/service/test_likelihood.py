"""Likelihoods through a service: every transform against teacher forcing with plain transformers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import httpx2
import pytest
from pydantic import JsonValue

from judges.likelihood.progress import cuts
from tests.judges.service import by_hand
from tests.judges.service.by_hand import QUESTION, TOLERANCE, forced, messages, samples, scores, turns
from tests.judges.service.conftest import Add
from tests.judges.tiny import Tiny
from tests.live import Service
from trueward import Client, Sample, Verdict
from trueward.wire.sample import TokenLogprobs

REASONING = ("10 + 30 = 40 and 2 more, so \\boxed{", "Größer als null 🙂, e\u0301, 四十 plus zwei: \\boxed{")
REPLIES = tuple(one + "41}. I am sure." for one in REASONING)
REFERENCE = "42 größer 四"


def judged(client: Client, some: list[Sample], **params: object) -> list[Verdict]:
    return client.verify(some, verifier="likelihood", params=params)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def path(add: Add, tiny: Tiny) -> Path:
    path = tiny.causal("qwen2")
    add("policy", "causal", path)
    add("initial", "causal", tiny.causal("qwen2", seed=1))
    return path


def test_forms_of_the_reference_in_the_place_of_the_answer(client: Client, path: Path) -> None:
    some = samples(*REPLIES, reference=REFERENCE)
    rows = [forced(path, turns(QUESTION), one, REFERENCE) for one in REASONING]
    forms: dict[str, Callable[[list[float]], float]] = {
        "mean_log_probability": fmean,
        "log_probability": sum,
        "jepo": sum,
        "probability": lambda row: math.exp(sum(row)),
        "verifree": lambda row: math.exp(sum(row)),
        "mean_probability": lambda row: fmean(map(math.exp, row)),
    }
    for transform, form in forms.items():
        found = judged(client, some, model="policy", transform=transform)
        assert scores(found) == pytest.approx([form(row) for row in rows], abs=5 * TOLERANCE, rel=1e-4), transform
        assert [one.evidence["reference_tokens"] for one in found] == [len(row) for row in rows]


def test_nothing_behind_the_answer_counts_and_everything_ahead_of_it_does(client: Client, path: Path) -> None:
    same = samples(REPLIES[0], REASONING[0] + "7}. " + "42 " * 20, reference="42")
    one, other = scores(judged(client, same, model="policy"))
    assert one == pytest.approx(other, abs=1e-6)
    first, second = scores(judged(client, samples(*REPLIES, reference="42"), model="policy"))
    assert abs(first - second) > 100 * TOLERANCE


def test_the_most_likely_reference_counts_and_appending_needs_no_answer(client: Client, path: Path) -> None:
    references = ["forty-two", "42", "zweiundvierzig"]
    rows = [fmean(forced(path, turns(QUESTION), REASONING[0], one)) for one in references]
    [found] = judged(client, samples(REPLIES[0], reference=references), model="policy")
    assert found.score == pytest.approx(max(rows), abs=TOLERANCE)
    assert found.evidence["reference"] == rows.index(max(rows))
    [appended] = judged(client, samples("Ten fours.", reference="42"), model="policy", splice="append", joint=" = ")
    assert appended.score == pytest.approx(fmean(forced(path, turns(QUESTION), "Ten fours. = ", "42")), abs=TOLERANCE)


def test_what_the_reasoning_added_over_a_baseline_that_is_asked_once(
    client: Client, keyless: Service, path: Path, tiny: Tiny
) -> None:
    other = tiny.causal("qwen2", seed=1)
    replies = [f"{n} plus {n} and so on, \\boxed{{{n}}}" for n in range(8)]
    before = _answered(keyless)
    found = judged(
        client, samples(*replies, reference="42"), model="policy", transform="rlpr", baseline_model="initial"
    )
    assert _answered(keyless) - before == len(replies) + 1
    bare = fmean(map(math.exp, forced(other, turns(QUESTION), "\\boxed{", "42")))
    for verdict, reply in zip(found, replies, strict=True):
        reached = fmean(map(math.exp, forced(path, turns(QUESTION), reply.partition("{")[0] + "{", "42")))
        assert verdict.evidence["baseline"] == pytest.approx(bare, abs=TOLERANCE)
        assert verdict.score == pytest.approx(min(max(reached - bare, 0), 1), abs=TOLERANCE)


def test_the_reasonings_perplexity(client: Client, path: Path) -> None:
    [found] = judged(client, samples(REPLIES[1], reference="42"), model="policy", transform="nover")
    nll = -fmean(forced(path, turns(QUESTION), REASONING[1], "42"))
    tokens = len(forced(path, turns(QUESTION), "", REASONING[1], "42"))
    assert found.evidence["reasoning_tokens"] == tokens
    assert found.score == pytest.approx(math.exp(-nll / (1 + math.log10(tokens))), abs=TOLERANCE)


def test_how_much_the_question_helps(client: Client, path: Path) -> None:
    [found] = judged(client, samples(REPLIES[1]), model="policy", transform="self_aligned")
    with_question, without = (math.exp(-fmean(forced(path, turns(one), "", REPLIES[1]))) for one in (QUESTION, ""))
    assert found.score == pytest.approx(max((without - with_question) / without, -1), abs=TOLERANCE)


def test_an_unused_token_after_the_response(client: Client, path: Path) -> None:
    text = by_hand.rendered(path, turns(QUESTION), opened=True) + REPLIES[0]
    [said] = by_hand.next_token(path, text, ["<extra_0>"])
    [found] = judged(client, samples(REPLIES[0]), model="policy", transform="laser", token="<extra_0>", constant=-5)
    assert found.score == pytest.approx(0.1 * (said + 5), abs=TOLERANCE)


def test_beliefs_over_parts_and_turns(client: Client, path: Path) -> None:
    head = REASONING[0].removesuffix("\\boxed{")
    parts = [head[:end] + "\\boxed{" for end in cuts(head, 3)]
    beliefs = [math.exp(sum(forced(path, turns(QUESTION), part, "42"))) for part in parts]
    [found] = judged(client, samples(REPLIES[0], reference="42"), model="policy", transform="belief_progress", parts=3)
    assert found.evidence["beliefs"] == pytest.approx(beliefs, abs=TOLERANCE)
    said = turns(QUESTION, "Let me look.", "It is 40.", "And 2 more.")
    beliefs = [math.exp(sum(forced(path, said[:end], "", "42"))) for end in (1, 3)]
    [sample] = samples("", reference="42")
    sample.response = messages(said[1:])
    [found] = judged(client, [sample], model="policy", transform="information_gain")
    assert found.evidence["beliefs"] == pytest.approx(beliefs, abs=TOLERANCE)
    assert found.score == pytest.approx(beliefs[-1], abs=TOLERANCE)


@pytest.mark.parametrize(("answer", "outcome"), [("42", 1.0), ("41", 0.0)])
def test_the_last_turn_gets_the_outcome(client: Client, path: Path, answer: str, outcome: float) -> None:
    """IGPO: gains of information for the turns before, the outcome for the one that answers, each with its place."""
    said = turns(QUESTION, "Let me look.", "It is 40.", f"So \\boxed{{{answer}}}.")
    [sample] = samples("", reference="42")
    sample.response = messages(said[1:])
    params = {"model": "policy", "transform": "information_gain"}
    recipe: dict[str, JsonValue] = {
        "terms": [{"verifier": "math"}, {"verifier": "likelihood", "name": "gain", "params": {**params}, "weight": 0}],
        "shaping": [{"method": "steps", "last": "outcome", "term": "gain"}],
        "invalid": 0,
    }
    [reward] = client.reward([sample], recipe=recipe).rewards
    [verdict] = client.verify([sample], verifier="likelihood", params=params)
    beliefs = verdict.evidence["beliefs"]
    assert isinstance(beliefs, list)
    assert reward.reward == outcome
    assert reward.step_rewards == pytest.approx([beliefs[1] - beliefs[0], outcome], abs=TOLERANCE)  # type: ignore[operator]
    told = [sample.response_text[a:b] for a, b in reward.step_spans or []]
    assert told == ["Let me look.", f"So \\boxed{{{answer}}}."]


def test_what_a_user_would_say_next(client: Client, path: Path) -> None:
    said = {"positive": ["Yes, that is right."], "negative": ["No, it is not right.", "Please check."]}

    def mean_of(text: str) -> float:
        lead = by_hand.rendered(path, turns(QUESTION, REPLIES[0]))
        ids = by_hand.tokens(path, f"{lead}<|im_start|>user\n{text}<|im_end|>\n")
        begin = len(by_hand.tokens(path, f"{lead}<|im_start|>user\n"))
        count = len(by_hand.tokens(path, text))
        return fmean(by_hand.plain("causal", path).log_probabilities(ids, begin)[:count])

    wanted = mean_of(said["positive"][0]) - fmean(map(mean_of, said["negative"]))
    [found] = judged(client, samples(REPLIES[0]), model="policy", transform="follow_up", follow_ups=said)
    assert found.score == pytest.approx(wanted, abs=TOLERANCE)


@pytest.mark.parametrize("transform", ["mean_log_probability", "mean_probability", "jepo", "rlpr"])
def test_what_a_trainer_computes_itself_comes_to_the_same(client: Client, path: Path, transform: str) -> None:
    some, sent = samples(*REPLIES, reference=REFERENCE), []
    bare = fmean(map(math.exp, forced(path, turns(QUESTION), "\\boxed{", REFERENCE)))
    for sample, before in zip(some, REASONING, strict=True):
        row = forced(path, turns(QUESTION), before, REFERENCE)
        logprobs = TokenLogprobs(token_ids=[0] * len(row), logprobs=row, model="policy")
        sent.append(sample.model_copy(update={"reference_logprobs": logprobs, "baseline_scores": [bare]}))
    asked = scores(judged(client, some, model="policy", transform=transform))
    assert scores(judged(client, sent, transform=transform)) == pytest.approx(asked, abs=5 * TOLERANCE)


def _answered(keyless: Service) -> float:
    """Questions that models have answered since the start; an engine says so twice a second."""
    time.sleep(1.5)
    lines = httpx2.get(f"{keyless.url}/metrics").text.splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("trueward_model_answered"))
