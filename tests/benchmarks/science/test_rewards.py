"""Effects 3 to 5 through a live service in a few steps, and what they are made of.

Whether there is an effect is for the long form to show: here the warm-ups are too short for any.
"""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaForCausalLM

from benchmarks import digits
from benchmarks.science import likelihoods, majority, par
from benchmarks.science.arms import Completion
from benchmarks.science.effect import Place, Scale
from benchmarks.science.imitation import imitating
from benchmarks.science.par import Curves
from benchmarks.science.toy import Shape, Toy, accuracy, some
from trueward import Client

pytestmark = pytest.mark.usefixtures("one_thread")
ONE = Scale((100,), 2)


@pytest.mark.benchmark
def test_votes_are_paid_without_a_label_and_the_run_is_watched(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(majority, "WARM_UP_STEPS", 2)
    monkeypatch.setattr(majority, "STRETCH", 1)
    found = majority.measure(Place(service, tmp_path), ONE)
    assert all(found.claims.values())
    assert [one.word for one in found.findings] == ["one seed"] * 5
    assert found.document["alarms"] == {"right": 0, "wrong": 0}
    with Client(service) as client:
        assert {run.id for run in client.runs()} >= {"majority-right-100", "majority-wrong-100"}
    lines = _lines(tmp_path / "wrong-100/out/completions.jsonl")
    group = [one for one in lines if one["prompt"] == lines[0]["prompt"]]
    votes = [one["response"] for one in group if one["outcome"] != "invalid"]
    paid = {one["response"] for one in group if one["reward"] == 1}
    assert len(paid) == 1
    assert votes.count(paid.pop()) == max(map(votes.count, votes))


@pytest.mark.benchmark
def test_the_alarm_of_a_collapse_is_waited_for_and_dated(service: str) -> None:
    """A run whose votes stay unanimous and turn wrong half-way."""
    references = {f"{place:05d}": "7" for place in range(2_000)}
    watch = majority.Watch(service, "turns")
    with Client(service) as client:
        for step in range(16):
            prompts = list(references)[step * 16 : step * 16 + 16]
            said = "7" if step < 8 else "2"
            samples = [{"prompt": prompt, "response": said, "group": prompt} for prompt in prompts for _ in range(16)]
            paid = client.reward(samples, recipe=majority.RECIPE, run="turns", step=step).rewards
            lines = [{**one, "record": its.record} for one, its in zip(samples, paid, strict=True)]
            watch.label(lines, references, str(step))
    watch.look(16)
    assert (watch.alarm_step, watch.first_step) == (16, 8)


@pytest.mark.benchmark
def test_a_response_is_paid_against_one_of_the_initial_policy(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(par, "WARM_UP_STEPS", 2)
    monkeypatch.setattr(par, "ESTIMATORS", ("rloo",))
    found = par.measure(Place(service, tmp_path), ONE)
    assert all(found.claims.values())
    runs = found.document["runs"]
    assert isinstance(runs, list)
    assert [one.arm for one in runs] == ["rloo-raw", "rloo-par"]
    assert runs[0].kl[0] == pytest.approx(0, abs=1e-4)
    asked = {one["prompt"]: one for one in _lines(tmp_path / "start-100/prompts.jsonl")}
    for line in _lines(tmp_path / "rloo-par-100/out/completions.jsonl"):
        reference = asked[line["prompt"]]["reference"]
        raw = 6 * (line["response"].rstrip("+") == reference[:3]) + len(line["response"])
        [baseline] = asked[line["prompt"]]["baseline_scores"]
        wanted = float(torch.sigmoid(torch.tensor(raw - baseline, dtype=torch.float64)))
        assert line["reward"] == pytest.approx(wanted if line["response"] else 0)


@pytest.mark.parametrize(
    ("response", "exploiting"),
    [("127", False), ("127+", True), ("721", False), ("721+++++", False), ("721++++++", True), ("", False)],
)
def test_exploiting_is_to_be_paid_like_the_bare_right_answer(response: str, exploiting: bool) -> None:
    assert par.exploits(Completion(0, "271=", r"127\+*", response, 0.0, "incorrect")) is exploiting


def test_shares_are_read_where_the_kl_is_first_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(par, "SMOOTH", 1)
    assert par.at([0.0, 1.0, 3.0, 1.0, 3.0], [0.0, 0.2, 0.6, 0.9, 0.9], 2.0) == pytest.approx(0.4)
    assert par.at([0.0, 1.0], [0.0, 0.2], 2.0) is None
    raw = Curves("raw", 1, [0.0, 2.0], [0.0, 1.0], [], 0, 0.0)
    slow = Curves("par", 1, [0.0, 1.2], [0.0, 0.6], [], 0, 0.0)
    assert par.at_equal_kl(raw, slow) == pytest.approx(0.0)
    assert par.at_equal_kl(raw, Curves("par", 1, [0.0, 0.5], [0.0, 0.1], [], 0, 0.0)) is None


@pytest.mark.benchmark
def test_the_policy_itself_says_how_likely_the_reference_is(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likelihoods, "WARM_UP", ((1.0, 4),))
    monkeypatch.setattr(likelihoods, "TRANSFORMS", ("probability",))
    monkeypatch.setattr(likelihoods, "FILTERED", ())
    monkeypatch.setattr(likelihoods, "findings", lambda gain: [])
    found = likelihoods.measure(Place(service, tmp_path), ONE)
    assert all(found.claims.values())
    runs = found.document["runs"]
    assert isinstance(runs, list)
    assert [(one.length, one.dropped) for one in runs] == [("short", 0), ("long", 0)]
    with Client(service) as client:
        assert not [one for one in client.models() if one.id.startswith("probability")]
    learner = LlamaForCausalLM.from_pretrained(tmp_path / "short-100").eval()
    references = dict(some(likelihoods.toy_of("short"), "train", 100, 32))
    words = digits.tokenizer()
    first = next(
        one for one in _lines(tmp_path / "probability-short-100-100/out/completions.jsonl") if one["step"] == 0
    )
    reference = references[first["prompt"]]
    ids = torch.tensor([words(first["prompt"] + first["response"] + likelihoods.JOINT + reference)["input_ids"]])
    said = torch.log_softmax(learner(input_ids=ids).logits[0].double(), -1)
    by_hand = sum(float(said[place - 1, ids[0, place]].detach()) for place in (-2, -1))
    assert first["reward"] == pytest.approx(float(torch.tensor(by_hand).exp()), rel=1e-3)


def test_a_reference_repeats_the_digit_in_threes() -> None:
    assert [likelihoods.written(random.Random(1), "7", tokens)[::3] for tokens in (2, 24)] == ["7", "77777777"]
    assert [len(likelihoods.written(random.Random(1), "7", tokens)) for tokens in (2, 24)] == [2, 24]
    assert {likelihoods.written(random.Random(seed), "7", 24)[2::3] for seed in range(9)} == {"++++++++"}


def test_a_policy_imitates_one_text_after_the_other(tmp_path: Path) -> None:
    """It ends with the frequencies of the last."""
    lessons = [(lambda draw: ("1", "2"), 30), (lambda draw: ("1", "2" if draw.random() < 0.3 else "3"), 80)]
    toy = Toy("one", lambda draw: ("1", "2"), lambda draw, prompt, reference: "2", lambda reference: (reference,), 1)
    learner = imitating(lessons, tmp_path, 100, shape=Shape(1, 32), lr=1e-2, batch=64)
    assert accuracy(toy, learner, digits.tokenizer(), [("1", "2")]) == pytest.approx(0.3, abs=0.1)
    assert (tmp_path / "model.safetensors").exists()


def test_modes_of_the_warm_up_are_right_and_wrong() -> None:
    for arm, share in majority.SHARES.items():
        draw = random.Random(arm)
        said = [partial(majority._text, chance=share)(draw) for _ in range(2_000)]
        rising = [sorted(prompt[:-1]) for prompt, _ in said]
        right = [list(answer) == order for (_, answer), order in zip(said, rising, strict=True)]
        assert sum(right) / 2_000 == pytest.approx(share, abs=0.04)
        assert all(list(answer) in (order, order[::-1]) for (_, answer), order in zip(said, rising, strict=True))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
