"""A real language model whose weights are changed while it is asked: by an adapter, and back."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event, Thread

import pytest
import torch
from pydantic import JsonValue
from safetensors.torch import load_file
from transformers import AutoTokenizer

from tests.judges.engine.plain import Plain, differ
from tests.judges.engine.swapping import adapter_of, pair
from trueward import Client
from trueward.wire.model import ModelAnswer, ModelEntry

pytestmark = pytest.mark.real

LAYER = "model.layers.10.mlp.up_proj"
PROMPT = "Once upon a time there was a king, and his number was"
DEADLINE_S = 600.0


@pytest.fixture
def moving(client: Client, smollm: Path) -> Iterator[str]:
    client.add_model(ModelEntry(name="moving", kind="causal", path=str(smollm)))
    client.load_model("moving")
    yield "moving"
    client.delete_model("moving")


def ask(client: Client, number: int, least: int = 0) -> ModelAnswer:
    """Each number is another question, so no answer is a kept one."""
    said = f" {number}, and he was glad of it."
    question: dict[str, JsonValue] = {"kind": "spans", "prompt": PROMPT, "text": said, "spans": [[0, len(said)]]}
    return client.ask_model("moving", question, min_weights=least, deadline_s=DEADLINE_S)


def test_an_answer_under_load_is_of_the_weights_that_it_names(
    client: Client, moving: str, smollm: Path, tmp_path: Path
) -> None:
    weight = load_file(smollm / "model.safetensors")[f"{LAYER}.weight"]
    a, b = pair(weight.shape[1], weight.shape[0])
    adapter = adapter_of(tmp_path / "adapter", {LAYER: (a, b)})
    numbers, answers, over = count(), list[ModelAnswer](), Event()

    def load() -> None:
        while not over.is_set():
            answers.append(ask(client, next(numbers)))

    asking = Thread(target=load)
    asking.start()
    try:
        answers.append(ask(client, next(numbers)))
        client.push_weights(moving, str(adapter), version=1, adapter=True)
        answers.append(ask(client, next(numbers), least=1))
        client.push_weights(moving, str(smollm), version=2)
        answers.append(ask(client, next(numbers), least=2))
    finally:
        over.set()
        asking.join()
    assert len(answers) > 3
    assert {one.weights for one in answers} == {0, 1, 2}
    plain = Plain("causal", smollm)
    prompt = AutoTokenizer.from_pretrained(smollm)(PROMPT)["input_ids"]
    alone = [said(plain, prompt, one) for one in answers]
    with torch.no_grad():
        plain.model.get_submodule(LAYER).weight += 4 * b @ a  # alpha 16 over rank 4
    adapted = [said(plain, prompt, one) for one in answers]
    for answer, without, with_it in zip(answers, alone, adapted, strict=True):
        assert differ([without], [with_it]) > 0.1
        assert differ([tuple(row) for row in answer.rows], [with_it if answer.weights == 1 else without]) < 1e-4


def said(plain: Plain, prompt: list[int], answer: ModelAnswer) -> tuple[float, ...]:
    return tuple(plain.log_probabilities([*prompt, *answer.token_ids[0]], len(prompt)))
