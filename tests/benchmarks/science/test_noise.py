"""Effects through a live service in a few steps, and what their arms are made of.

Whether there is an effect is for the long form to show.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import torch
from pydantic import JsonValue

from benchmarks import digits
from benchmarks.science import audited, group_flips, noisy_form
from benchmarks.science.__main__ import FRESH, SCALES, main
from benchmarks.science.arms import Completion, Run, changed, late, stretches
from benchmarks.science.effect import Place, Scale
from benchmarks.science.extremes import PLAIN, TWO_FORMS
from benchmarks.science.toy import accuracy, encoded, probabilities, some
from trueward import Client

pytestmark = pytest.mark.usefixtures("one_thread")
ONE = Scale((100,), 1)
FORM_ONLY = 0.03
"""A policy that is right at this rate knows how an answer is written, and little more."""


@pytest.mark.benchmark
def test_groups_are_flipped_whole_and_none_is_missing(
    service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group_flips, "LEAST", FORM_ONLY)
    found = group_flips.measure(Place(service, tmp_path), ONE)
    assert all(found.claims.values())
    assert [one.word for one in found.findings] == ["one seed"] * 2
    runs = {arm: _said(tmp_path, f"flips-{arm}-100") for arm in ("0", "0.6")}
    assert "flipped" not in {one["reason_code"] for one in runs["0"]}
    flipped: dict[str, set[bool]] = {}
    for one in runs["0.6"]:
        if one["outcome"] != "invalid":
            flipped.setdefault(str(one["prompt"]), set()).add(one["reason_code"] == "flipped")
    assert all(len(kinds) == 1 for kinds in flipped.values())
    assert 0.3 < sum(kinds == {True} for kinds in flipped.values()) / len(flipped) < 0.9
    assert all(one["reward"] == 0 for run in runs.values() for one in run if one["outcome"] == "invalid")


@pytest.mark.benchmark
def test_rates_of_each_form_come_from_an_audit(service: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noisy_form, "LEAST", FORM_ONLY)
    monkeypatch.setattr(audited, "PROMPTS", 128)
    found = noisy_form.measure(Place(service, tmp_path), ONE)
    assert all(found.claims.values())
    assert len(found.findings) == 7
    rates = found.document["rates"]
    assert isinstance(rates, dict)
    slices = rates[100]["exploit"]["slices"]
    assert slices["form=plus"]["false_positive"] == pytest.approx(0.5, abs=0.08)
    assert slices["form=plain"]["false_positive"] == pytest.approx(0.02, abs=0.03)
    backward = [one for one in _said(tmp_path, "backward-100") if str(one["response"]).startswith("+")]
    paid = sorted({float(str(one["reward"])) for one in backward if one["outcome"] != "invalid"})
    assert paid == pytest.approx([-0.5 / 0.4, 0.5 / 0.4], abs=0.4)


@pytest.mark.benchmark
def test_the_noisy_verifier_errs_at_its_rates_and_alike_each_time(service: str) -> None:
    params: dict[str, JsonValue] = {"seed": 3, "plus_false_positive": 0.5, "plain_false_negative": 0.1}
    asked = [
        {"prompt": f"{n}=", "response": said, "reference": "19"}
        for n in range(400)
        for said in ("19", "+19", "28", "+28", "2")
    ]
    with Client(service) as client:
        once = client.verify(asked, verifier="noisy_form", params=params)
        again = client.verify(asked, verifier="noisy_form", params=params)
        other = client.verify(asked, verifier="noisy_form", params={**params, "seed": 4})
    shares = [sum(one.outcome == "correct" for one in once[place::5]) / 400 for place in range(5)]
    assert shares == pytest.approx([0.9, 1.0, 0.0, 0.5, 0.0], abs=0.07)
    assert [one.outcome for one in once] == [one.outcome for one in again]
    assert [one.outcome for one in once] != [one.outcome for one in other]
    assert {one.outcome for one in once[4::5]} == {"invalid"}


def _said(scratch: Path, run: str) -> list[dict[str, JsonValue]]:
    return [json.loads(line) for line in (scratch / run / "out/completions.jsonl").read_text().splitlines()]


def test_prompts_are_distinct_and_answers_right() -> None:
    asked = some(TWO_FORMS, "train", 1, 500)
    assert len({prompt for prompt, _ in asked}) == 500
    for prompt, reference in asked:
        assert reference == "".join(sorted(prompt[:-1])[1::2])


def test_half_of_what_is_taught_is_right_in_either_form() -> None:
    said = [TWO_FORMS.taught(random.Random(n), "12345=", "24") for n in range(1_000)]
    right = [one for one in said if one in TWO_FORMS.right("24")]
    assert {*right} == {"24", "+24"}
    assert len(right) / 1_000 == pytest.approx(0.505, abs=0.05)
    assert sum(one.startswith("+") for one in said) / 1_000 == pytest.approx(0.5, abs=0.05)
    assert {len(one.removeprefix("+")) for one in said} == {2}


def test_the_accuracy_is_the_probability_of_all_right_responses() -> None:
    learner, words = digits.model(1, 1, 32), digits.tokenizer()
    prompt = "12345="
    ids, labels = encoded([(prompt, "15"), (prompt, "+15")], words)
    assert ids.shape == (2, 6 + 4)
    assert (labels[:, :6] == -100).all()
    assert int(labels[0, -1]) == -100
    assert int(labels[1, -1]) == words.eos_token_id
    with torch.no_grad():
        step = torch.log_softmax(learner(input_ids=ids[:1, :-1]).logits[0].double(), -1)
    by_hand = sum(float(step[place, ids[0, place + 1]]) for place in range(5, 8))
    one, two = probabilities(learner, words, [(prompt, "15"), (prompt, "+15")])
    assert one == pytest.approx(float(torch.tensor(by_hand).exp()), rel=1e-4)
    assert accuracy(TWO_FORMS, learner, words, [(prompt, "15")]) == pytest.approx(one + two, rel=1e-5)
    assert accuracy(PLAIN, learner, words, [(prompt, "15")]) == pytest.approx(one, rel=1e-5)


def test_curves_leave_out_what_is_not_measured() -> None:
    said = [Completion(step, "1=", "1", text, 1.0, "correct") for step, text in ((0, "1"), (0, "2"), (1, "2"))]
    run = Run("arm", 1, 0.0, Path(), said, [])
    assert run.curve(lambda one: float(one.response == "1")) == [0.5, 0.0]
    assert run.curve(lambda one: 1.0 if one.response == "1" else None) == [1.0, 0.0]
    assert late([0.0, 1.0, 0.5], 2) == 0.75
    assert stretches([0.0, 1.0, 2.0, 3.0], 2) == [0.5, 2.5]
    assert stretches([1.0], 10) == [1.0]


def test_changes_reach_the_part_that_they_name() -> None:
    before: dict[str, JsonValue] = {"update": {"lr": 1, "loss": "grpo"}, "steps": 3}
    assert changed(before, {"update": {"lr": 2}}) == {"update": {"lr": 2, "loss": "grpo"}, "steps": 3}
    assert before["update"] == {"lr": 1, "loss": "grpo"}


def test_pilots_never_see_the_fresh_seeds() -> None:
    assert not {*FRESH} & {*SCALES["short"].seeds, *SCALES["quick"].seeds}
    for refused in (["--seeds", "1"], ["--long", "--seeds", "101"], ["unheard_of"]):
        with pytest.raises(SystemExit):
            main(refused)
