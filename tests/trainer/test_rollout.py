"""Sampling: what it says is what the model says, however prompts are padded."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from tests.judges.tiny import Tiny
from tests.trainer.toys import gap, save_policy
from trueward.errors import InvalidRequest
from trueward.wire.sample import Message, Sample
from trueward_trainer.rollout import Sampler
from trueward_trainer.streams import generator

PROMPTS = [Sample(prompt="1="), Sample(prompt="123+45="), Sample(prompt="98765=")]
CPU = torch.device("cpu")


def loaded(path: Path, *, chat: bool = False, limit: int = 6) -> Sampler:
    model = AutoModelForCausalLM.from_pretrained(path).eval()
    return Sampler(model, AutoTokenizer.from_pretrained(path), chat=chat, max_new_tokens=limit)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return save_policy(tmp_path / "policy")


def test_log_probabilities_are_those_of_a_plain_forward(path: Path) -> None:
    for temperature in (1.0, 0.7):
        responses = loaded(path).sample(PROMPTS, 3, temperature, generator(CPU, 1))
        model = AutoModelForCausalLM.from_pretrained(path).eval()
        assert gap(model, [one.prompt_ids for one in responses], responses, temperature) < 1e-4


def test_greedy_is_what_the_model_generates_alone(path: Path) -> None:
    model, words = AutoModelForCausalLM.from_pretrained(path).eval(), AutoTokenizer.from_pretrained(path)
    for response in loaded(path).sample(PROMPTS, 1, 0.0, generator(CPU, 1)):
        ids = torch.tensor([response.prompt_ids])
        alone = model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=6)
        assert alone[0, ids.shape[1] :].tolist() == response.tokens
        assert words.decode(response.tokens, skip_special_tokens=True) == response.text


def test_the_same_stream_says_the_same(path: Path) -> None:
    sampler = loaded(path)
    one, same, other = (sampler.sample(PROMPTS, 4, 1.0, generator(CPU, name)) for name in (1, 1, 2))
    assert one == same
    assert one != other


def test_samples_follow_the_model(path: Path) -> None:
    """First tokens of 4,000 responses against the probabilities of the model."""
    sampler = loaded(path, limit=1)
    responses = sampler.sample(PROMPTS[:1], 4_000, 1.0, generator(CPU, 1))
    model = AutoModelForCausalLM.from_pretrained(path).eval()
    expected = model(torch.tensor([responses[0].prompt_ids])).logits[0, -1].softmax(-1)
    counts = torch.tensor([one.tokens[0] for one in responses]).bincount(minlength=len(expected))
    spread = (4_000 * expected * (1 - expected)).sqrt()
    assert ((counts - 4_000 * expected).abs() < 5 * spread).all()


def test_a_response_ends_with_its_end_token_or_at_the_limit(path: Path) -> None:
    responses = loaded(path, limit=12).sample(PROMPTS, 16, 1.0, generator(CPU, 1))
    assert {one.finish_reason for one in responses} == {"stop", "length"}
    for one in responses:
        assert (one.tokens[-1] == 1) == (one.finish_reason == "stop")
        assert 1 not in one.tokens[:-1]
        assert "<end>" not in one.text
        assert len(one.tokens) == len(one.logprobs) <= 12


def test_a_chat_prompt_goes_through_the_template(tmp_path: Path) -> None:
    sampler = loaded(Tiny(tmp_path).causal("qwen2"), chat=True, limit=2)
    words = AutoTokenizer.from_pretrained(tmp_path / "causal-qwen2-0")
    shown = words.decode(sampler.encode(Sample(prompt="Is it?", prefix="<think>")))
    assert shown.endswith("<|im_start|>user\nIs it?<|im_end|>\n<|im_start|>assistant\n<think>")
    several = Sample(prompt=[Message(role="system", content="Be short."), Message(role="user", content="Is it?")])
    assert words.decode(sampler.encode(several)).startswith("<|im_start|>system\nBe short.<|im_end|>")


def test_an_empty_prompt_is_refused(path: Path) -> None:
    with pytest.raises(InvalidRequest, match="no tokens"):
        loaded(path).sample([Sample(prompt="")], 1, 1.0, generator(CPU, 1))
