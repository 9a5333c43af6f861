"""A real language model in the service's own engine: what it says is what transformers says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue
from typer.testing import CliRunner

from app.demo.real.model import packed_model
from judges.engine.load import load
from judges.questions import Spans, Turn
from tests.judges.engine.plain import Plain, differ
from trueward import Client, Sample, cli
from trueward.wire.model import ModelEntry

pytestmark = pytest.mark.real

FACTS = (
    ("What is the capital of France?", "Paris", ("Berlin", "Madrid", "Tokyo")),
    ("What is the capital of Japan?", "Tokyo", ("Paris", "Cairo", "Lima")),
    ("How many days does a week have?", "seven", ("three", "nine", "twelve")),
    ("What colour is the sky on a clear day?", "blue", ("green", "brown", "pink")),
    ("What do cows drink?", "water", ("sand", "petrol", "ink")),
    ("What is frozen water called?", "ice", ("steam", "wood", "gold")),
    ("Which planet do we live on?", "Earth", ("Mars", "Venus", "Jupiter")),
    ("Who wrote Hamlet?", "Shakespeare", ("Einstein", "Mozart", "Newton")),
    ("What is the opposite of hot?", "cold", ("blue", "seven", "chair")),
    ("Which animal barks?", "dog", ("fish", "snake", "bee")),
)


def test_log_probabilities_are_those_of_transformers(smollm: Path) -> None:
    model = load(ModelEntry(name="smollm", kind="causal", path=str(smollm), device="cpu"))
    plain = Plain("causal", smollm)
    for question, right, wrong in FACTS[:2]:
        for answer in (right, wrong[0]):
            work = model.encode(Spans((Turn("user", question),), answer, ((0, len(answer)),)))
            [found] = model.run([work])
            said = model.answer(work, found).rows
            brute = plain.log_probabilities(work.ids, len(work.ids) - len(said[0]))
            assert differ(said, [tuple(brute)]) < 1e-4


def test_a_file_as_llama_cpp_has_it_is_a_model(smollm: Path, tmp_path: Path) -> None:
    """Four bits a number: what is unpacked from it to a folder says the same."""
    file = packed_model(tmp_path, smollm.parent)
    models = [load(ModelEntry(name="smollm", kind="causal", path=str(path), device="cpu")) for path in (smollm, file)]
    for question, right, wrong in FACTS[:2]:
        for answer in (right, wrong[0]):
            said = []
            for model in models:
                work = model.encode(Spans((Turn("user", question),), answer, ((0, len(answer)),)))
                [found] = model.run([work])
                said.append((work.ids, model.answer(work, found).rows))
            assert said[0][0] == said[1][0]
            assert differ(said[0][1], said[1][1]) < 1e-4


def test_the_check_finds_the_same_and_no_second_bos(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The mark of a turn is this model's BOS: it comes with every turn."""
    monkeypatch.setenv("TRUEWARD_URL", client.url)
    checked = CliRunner().invoke(cli.app, ["models", "check", "engine", "--json"])
    assert checked.exit_code == 0, checked.output
    for one in json.loads(checked.stdout):
        assert one["difference"] < 1e-4
        assert one["bos"] == 1


@pytest.mark.parametrize("transform", ["mean_log_probability", "rlpr"])
def test_the_right_reference_is_the_likeliest(client: Client, transform: str) -> None:
    samples = [
        Sample(prompt=question, response=f"It is {right}. So the answer is \\boxed{{{right}}}", reference=reference)
        for question, right, wrong in FACTS
        for reference in (right, *wrong)
    ]
    params: dict[str, JsonValue] = {"model": "engine", "transform": transform}
    verdicts = client.verify(samples, verifier="likelihood", params=params, deadline_s=600.0)
    scores = [one.score for one in verdicts]
    assert None not in scores
    groups = [[score or 0.0 for score in scores[place : place + 4]] for place in range(0, len(scores), 4)]
    assert sum(max(group) == group[0] for group in groups) >= 8
