"""The tiny models are what the tests take them for."""

from __future__ import annotations

import time

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoModelForSequenceClassification, AutoTokenizer

from tests.judges.tiny import FAMILIES, Family, Tiny, pairs, rewards


@pytest.mark.parametrize("family", FAMILIES)
def test_a_causal_model_reads_what_its_tokenizer_writes(tiny: Tiny, family: Family) -> None:
    words = AutoTokenizer.from_pretrained(tiny.causal(family))
    model = AutoModelForCausalLM.from_pretrained(tiny.causal(family))
    said = "The sum of 12 and 30 is 42 – größer, 四 🙂."
    ids = words(said, return_tensors="pt")["input_ids"]
    assert words.decode(ids[0], skip_special_tokens=True) == said
    with torch.inference_mode():
        logits = model(ids).logits[0]
    assert logits.std() > 0.3
    assert 500 < len(words) <= 600


def test_the_trained_reward_model_prefers_the_better_answer(tiny: Tiny) -> None:
    began = time.process_time()
    path = tiny.preferring()
    spent = time.process_time() - began
    words = AutoTokenizer.from_pretrained(path)
    model = AutoModelForSequenceClassification.from_pretrained(path)
    unseen = pairs(200, seed=99)
    with torch.inference_mode():
        better, worse = (rewards(model, words, [(pair[0], pair[which]) for pair in unseen]) for which in (1, 2))
    assert (better > worse).float().mean() > 0.9
    assert spent < 20


def test_every_builder_builds(tiny: Tiny) -> None:
    made = [tiny.classifier(), tiny.steps(), tiny.process_reward(), tiny.gated(), tiny.encoder()]
    assert all((path / "model.safetensors").exists() and (path / "tokenizer.json").exists() for path in made)
