"""Reward models through a service: every way to read, show and calibrate one, against plain transformers."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, pstdev

import pytest
import torch

from tests.judges.engine.plain import REPLIES
from tests.judges.service import by_hand
from tests.judges.service.by_hand import QUESTION, TOLERANCE, logits, messages, samples, scores, softmax, turns
from tests.judges.service.conftest import Add
from tests.judges.tiny import Tiny, pairs
from trueward import Client, Sample, Verdict
from trueward.wire.audit import ExploitAudit, GivenSamples, Subject


def judged(client: Client, some: list[Sample], model: str, **params: object) -> list[Verdict]:
    return client.verify(some, verifier="reward_model", params={"model": model, **params})  # type: ignore[dict-item]


def test_a_logit_and_its_calibrations(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.classifier("llama")
    wanted = [logits(path, turns(QUESTION, reply))[0] for reply in REPLIES]
    given: dict[str, tuple[dict[str, object], Callable[[float], float]]] = {
        "affine": ({"method": "affine", "scale": 2, "shift": -1}, lambda raw: 2 * raw - 1),
        "platt": ({"method": "platt", "scale": 2, "shift": 1}, lambda raw: 1 / (1 + math.exp(-(2 * raw + 1)))),
        "cooled": ({"method": "temperature", "temperature": 3}, lambda raw: 1 / (1 + math.exp(-raw / 3))),
    }
    assert scores(judged(client, samples(*REPLIES), add("logit", "reward", path))) == pytest.approx(
        wanted, abs=TOLERANCE
    )
    for name, (calibration, worth) in given.items():
        found = judged(client, samples(*REPLIES), add(name, "reward", path, calibration=calibration))
        assert scores(found) == pytest.approx([worth(raw) for raw in wanted], abs=TOLERANCE)
        assert [one.evidence["raw"] for one in found] == pytest.approx(wanted, abs=TOLERANCE)
    halves = judged(client, samples(*REPLIES), "logit", threshold=sorted(wanted)[2] - 0.01)
    assert [one.outcome for one in halves] == ["correct" if raw >= sorted(wanted)[2] else "incorrect" for raw in wanted]


def test_labels_and_named_attributes(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.classifier("qwen2", labels=3)
    rows = [logits(path, turns(QUESTION, reply)) for reply in REPLIES]
    found = judged(client, samples(*REPLIES), add("second", "reward", path, reading={"kind": "logit", "index": 1}))
    assert scores(found) == pytest.approx([row[1] for row in rows], abs=TOLERANCE)
    found = judged(client, samples(*REPLIES), add("third", "reward", path, reading={"kind": "probability", "index": 2}))
    assert scores(found) == pytest.approx([softmax(row, 2) for row in rows], abs=TOLERANCE)
    weights = {"help": 0.5, "truth": 2, "length": -0.25}
    found = judged(
        client, samples(*REPLIES), add("named", "reward", path, reading={"kind": "attributes", "weights": weights})
    )
    assert scores(found) == pytest.approx([0.5 * a + 2 * b - 0.25 * c for a, b, c in rows], abs=TOLERANCE)
    assert found[0].evidence["attributes"] == pytest.approx(dict(zip(weights, rows[0], strict=True)), abs=TOLERANCE)
    beyond = judged(client, samples("x"), add("beyond", "reward", path, reading={"kind": "logit", "index": 3}))
    assert (beyond[0].outcome, beyond[0].score, beyond[0].reason_code) == ("error", None, "unaskable")


def test_the_surest_head_is_blended_with_the_worst(client: Client, add: Add, tiny: Tiny) -> None:
    """BRME end to end: means and spreads of heads, through the evidence, to the reward."""
    path = tiny.classifier("qwen2", labels=4)
    reading = {"kind": "heads", "spread": "log_variance"}
    model = add("heads", "reward", path, reading=reading, calibration={"method": "affine", "scale": -2, "shift": 1})
    recipe: dict[str, object] = {
        "terms": [{"verifier": "reward_model", "params": {"model": model}}],
        "shaping": [{"ensemble": {"form": "robust", "nominal": "surest", "trust": 0.7}, "term": "reward_model"}],
        "range": [-99, 99],
        "invalid": -99,
    }
    rewards = client.reward(samples(*REPLIES), recipe=recipe).rewards  # type: ignore[arg-type]
    for verdict, reward, reply in zip(judged(client, samples(*REPLIES), model), rewards, REPLIES, strict=True):
        row = logits(path, turns(QUESTION, reply))
        means, stds = [1 - 2 * one for one in row[:2]], [2 * math.exp(one / 2) for one in row[2:]]
        assert verdict.score == pytest.approx(fmean(means), abs=TOLERANCE)
        assert verdict.evidence["scores"] == pytest.approx(means, abs=TOLERANCE)
        assert verdict.evidence["stds"] == pytest.approx(stds, abs=TOLERANCE)
        surest = means[stds.index(min(stds))]
        assert reward.reward == pytest.approx(0.7 * surest + 0.3 * min(means), abs=TOLERANCE)
    negative = judged(client, samples(*REPLIES), add("unspread", "reward", path, reading={"kind": "heads"}))
    for verdict, reply in zip(negative, REPLIES, strict=True):
        assert (verdict.reason_code == "unaskable") == (min(logits(path, turns(QUESTION, reply))[2:]) < 0)


def test_objectives_are_mixed_by_a_gate_at_the_end_of_the_prompt(client: Client, add: Add, tiny: Tiny) -> None:
    path, names = tiny.gated(), ["help", "truth", "safety", "length"]
    model = add("gated", "reward", path, reading={"kind": "gated", "attributes": names})
    for verdict, reply in zip(judged(client, samples(*REPLIES), model), REPLIES, strict=True):
        score, objectives, gate = by_hand.gated(path, turns(QUESTION, reply))
        assert verdict.score == pytest.approx(score, abs=TOLERANCE)
        assert verdict.evidence["attributes"] == pytest.approx(dict(zip(names, objectives, strict=True)), abs=TOLERANCE)
        assert verdict.evidence["gate"] == pytest.approx(dict(zip(names, gate, strict=True)), abs=TOLERANCE)


def test_the_probability_of_yes(client: Client, add: Add, tiny: Tiny) -> None:
    path, form = tiny.causal("llama"), "{prompt}\nAnswer: {response}\nReference: {reference}\nIs it right?"
    reading = {"kind": "choice", "choices": ["Y", "N"]}
    model = add("yes", "reward", path, reading=reading, messages=[{"role": "user", "content": form}])
    shown = [f"{QUESTION}\nAnswer: {reply}\nReference: 42\nIs it right?" for reply in REPLIES]
    rows = [by_hand.next_token(path, by_hand.rendered(path, turns(one), opened=True), ["Y", "N"]) for one in shown]
    found = judged(client, samples(*REPLIES, reference="42"), model)
    assert scores(found) == pytest.approx([softmax(row, 0) for row in rows], abs=TOLERANCE)
    assert found[0].evidence["choices"] == pytest.approx(
        {"Y": math.exp(rows[0][0]), "N": math.exp(rows[0][1])}, abs=1e-4
    )
    [alone] = judged(client, samples(REPLIES[0]), model)
    assert (alone.outcome, alone.reason_code) == ("abstained", "no_reference")


def test_preferences_are_asked_in_both_orders(client: Client, add: Add, tiny: Tiny) -> None:
    path, form = tiny.classifier("qwen3"), "Q: {prompt}\nA: {response}\nB: {other}"
    model = add("pairwise", "reward", path, reading={"kind": "probability"}, text=form)
    others = list(REPLIES[1:3])

    def preference(first: str, second: str) -> float:
        ids = by_hand.surrounded(path, f"Q: {QUESTION}\nA: {first}\nB: {second}")
        return 1 / (1 + math.exp(-by_hand.plain("reward", path).logits(ids)[0].item()))

    [found] = judged(client, samples(REPLIES[0], baselines=others), model)
    orders = [(preference(REPLIES[0], other), preference(other, REPLIES[0])) for other in others]
    assert scores([found]) == pytest.approx([fmean((one + 1 - back) / 2 for one, back in orders)], abs=TOLERANCE)
    assert found.evidence["order_effect"] == pytest.approx(
        fmean((one - (1 - back)) / 2 for one, back in orders), abs=TOLERANCE
    )
    [alone] = judged(client, samples(REPLIES[0]), model)
    assert (alone.outcome, alone.reason_code) == ("abstained", "no_baselines")


def test_no_length_of_a_response_cuts_the_other_away(client: Client, add: Add, tiny: Tiny) -> None:
    """An entry cuts what is rated alone; what is compared is whole, or the longer one is too long."""
    path, reading = tiny.classifier("qwen3"), {"kind": "probability"}
    cut: dict[str, object] = {"reading": reading, "truncation": "left", "max_tokens": 64}
    comparing = add("pairwise-cut", "reward", path, text="A: {response}\nB: {other}", **cut)
    long = "It is 42. " * 100
    own, other = judged(client, samples(long, baselines=["4"]) + samples("4", baselines=[long]), comparing)
    assert (own.outcome, own.reason_code, own.score) == ("invalid", "too_long", 0.0)
    assert (other.outcome, other.reason_code) == ("abstained", "prompt_too_long")
    [alone] = judged(client, samples(long), add("alone-cut", "reward", path, **cut))
    assert alone.evidence["truncated"]


def test_an_ensemble_is_its_mean_and_says_how_far_its_members_are_apart(client: Client, add: Add, tiny: Tiny) -> None:
    paths = [tiny.classifier("llama", seed=seed) for seed in (0, 1, 2)]
    first, *others = [add(f"member-{n}", "reward", path) for n, path in enumerate(paths)]
    for verdict, reply in zip(judged(client, samples(*REPLIES), first, ensemble=others), REPLIES, strict=True):
        members = [logits(path, turns(QUESTION, reply))[0] for path in paths]
        assert verdict.score == pytest.approx(fmean(members), abs=TOLERANCE)
        assert verdict.evidence["scores"] == pytest.approx(members, abs=TOLERANCE)
        assert verdict.evidence["spread"] == pytest.approx(pstdev(members), abs=TOLERANCE)


def test_a_model_is_shown_the_part_that_it_is_to_judge(client: Client, add: Add, tiny: Tiny) -> None:
    path = tiny.classifier("llama")
    model = add("scoped", "reward", path)
    whole = "<think>12 + 30, ten fours and two.</think>\n\nSo it is \\boxed{42}."
    shown = {
        "response": whole,
        "answer": "So it is \\boxed{42}.",
        "thinking": "12 + 30, ten fours and two.",
        "final": "42",
    }
    for scope, text in shown.items():
        found = judged(client, samples(whole), model, scope=scope)
        assert scores(found) == pytest.approx([logits(path, turns(QUESTION, text))[0]], abs=TOLERANCE), scope
    [unclosed] = judged(client, samples("<think>12 + 30"), model, scope="answer")
    assert (unclosed.outcome, unclosed.score, unclosed.reason_code) == ("invalid", 0.0, "unclosed_thinking")


def test_conversations_of_several_turns_with_a_system_prompt(client: Client, add: Add, tiny: Tiny) -> None:
    path, system = tiny.classifier("llama"), "Answer like a teacher."
    said = turns(QUESTION, "It is 42.", "Why is that right?", "Because 10 + 30 = 40.", system=system)
    plain, taught = add("plain", "reward", path), add("taught", "reward", path, system=system)
    one = Sample(prompt=messages(said[:-1]), response=said[-1].content)
    trajectory = Sample(prompt=messages(said[:2]), response=messages(said[2:]))
    untaught = Sample(prompt=messages(said[1:-1]), response=said[-1].content)
    wanted = logits(path, said)[0]
    assert scores(judged(client, [one, trajectory], plain)) == pytest.approx([wanted] * 2, abs=TOLERANCE)
    assert scores(judged(client, [one, untaught], taught)) == pytest.approx([wanted] * 2, abs=TOLERANCE)
    assert scores(judged(client, [untaught], plain)) == pytest.approx([logits(path, said[1:])[0]], abs=TOLERANCE)
    assert abs(wanted - logits(path, said[1:])[0]) > 100 * TOLERANCE


@pytest.fixture(scope="module")
def preferring(add: Add, tiny: Tiny) -> str:
    path: Path = tiny.preferring()
    return add("preferring", "reward", path)


def test_a_trained_model_prefers_the_better_answers(client: Client, preferring: str) -> None:
    unseen = pairs(60, seed=7)
    asked = [Sample(prompt=one, response=said) for one, *both in unseen for said in both]
    found = torch.tensor(scores(judged(client, asked, preferring))).view(-1, 2)
    assert (found[:, 0] > found[:, 1]).float().mean() > 0.9


def test_hostile_answers_are_tried_on_a_reward_model(client: Client, preferring: str) -> None:
    params = {"model": preferring, "threshold": 1.0}
    given = GivenSamples(samples=[Sample(prompt="What is 42?", response="x is 42 because y is 7.", reference="42")])
    subject = Subject(verifier="reward_model", params=params)
    started = client.start_audit(ExploitAudit(subject=subject, given=given))
    audit = client.wait_for_audit(started.id, 120)
    assert audit.report is not None, audit.failure
    tried = audit.report.false_positives
    assert tried
    assert all(one.items > 10 for one in tried if one.method == "clopper_pearson")
