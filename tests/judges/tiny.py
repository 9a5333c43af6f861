"""Tiny models that the tests of judges ask: real tokenizers, trained on the spot, and weights of a fixed seed.

``Tiny`` builds each once under a directory (the fixture ``tiny`` of this folder, once a session) and gives its path::

    tiny.causal("llama")                 next tokens; families llama, qwen2, qwen3, gemma2
    tiny.learned_positions()             next tokens, by a GPT-2
    tiny.recurrent()                     next tokens, by a Mamba
    tiny.classifier("qwen2", labels=3)   a row of logits a text
    tiny.steps("qwen2")                  two labels a token; ``<extra_0>`` separates steps
    tiny.process_reward("qwen2")         the same with the head of Qwen2.5-Math-PRM
    tiny.gated()                         objectives and a gate, as in ArmoRM
    tiny.encoder(labels=2)               a Bert that reads texts and pairs
    tiny.preferring()                    a reward model that was trained to prefer answers with a reason

The families' traps are kept: Llama's template writes the BOS that its tokenizer adds too, Qwen's writes a system prompt
of its own and its tokenizer makes NFC of the text, Gemma's refuses a system turn and its tokenizer has no bytes but a
fallback to them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import torch
from safetensors.torch import save_file
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    BertConfig,
    BertForSequenceClassification,
    Gemma2Config,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaModel,
    MambaConfig,
    MambaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2Model,
    Qwen3Config,
)

from tests.judges.words import CONTEXT, tokenizer

Family = Literal["llama", "qwen2", "qwen3", "gemma2"]
FAMILIES: tuple[Family, ...] = ("llama", "qwen2", "qwen3", "gemma2")
HIDDEN = 64
OBJECTIVES = 4

NAMES = ("Ann", "Bob", "Eve", "Tom", "the train", "the sum", "the answer", "the sign", "x", "y")
VERBS = ("is", "was", "takes", "gives", "leaves", "adds", "says", "checks")
OBJECTS = ("42", "7", "two hours", "the first step", "the final answer", "a number", "35", "null", "right", "wrong")


class Tiny:
    """Builds models under ``root``, each once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def causal(self, family: Family = "llama", seed: int = 0) -> Path:
        return self._once(f"causal-{family}-{seed}", lambda path: _save(AutoModelForCausalLM, family, path, seed))

    def learned_positions(self) -> Path:
        return self._once("learned-positions", _save_learned_positions)

    def recurrent(self) -> Path:
        return self._once("recurrent", _save_recurrent)

    def classifier(self, family: Family = "llama", labels: int = 1, seed: int = 0) -> Path:
        return self._once(
            f"classifier-{family}-{labels}-{seed}",
            lambda path: _save(AutoModelForSequenceClassification, family, path, seed, num_labels=labels),
        )

    def steps(self, family: Family = "qwen2", labels: int = 2, seed: int = 0) -> Path:
        return self._once(
            f"steps-{family}-{labels}-{seed}",
            lambda path: _save(AutoModelForTokenClassification, family, path, seed, num_labels=labels),
        )

    def process_reward(self, seed: int = 0) -> Path:
        return self._once(f"process-reward-{seed}", lambda path: _save_process_reward(path, seed))

    def gated(self, seed: int = 0) -> Path:
        return self._once(f"gated-{seed}", lambda path: _save_gated(path, seed))

    def encoder(self, labels: int = 2, seed: int = 0) -> Path:
        return self._once(f"encoder-{labels}-{seed}", lambda path: _save_encoder(path, labels, seed))

    def preferring(self) -> Path:
        return self._once("preferring", _train_preferring)

    def _once(self, name: str, build: Callable[[Path], None]) -> Path:
        path = self.root / name
        if not path.exists():
            path.mkdir(parents=True)
            build(path)
        return path


def config(family: Family, **changes: object) -> object:
    """A configuration of the family: two layers, grouped key-value heads."""
    words = tokenizer(family)
    shape = {
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": CONTEXT,
        "initializer_range": 0.15,
        "pad_token_id": words.pad_token_id,
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.eos_token_id,
    } | changes
    if family == "gemma2":
        return Gemma2Config(
            **shape,
            query_pre_attn_scalar=16,
            sliding_window=16,
            attn_logit_softcapping=2.0,
            final_logit_softcapping=5.0,
            tie_word_embeddings=True,
        )
    if family == "llama":
        return LlamaConfig(**shape, tie_word_embeddings=False)
    if family == "qwen2":
        shape.pop("head_dim")
        return Qwen2Config(**shape, tie_word_embeddings=True)
    return Qwen3Config(**shape, tie_word_embeddings=True)


def pairs(count: int, seed: int) -> list[tuple[str, str, str]]:
    """Questions, each with a better answer, which gives a reason, and a worse one of the same length."""
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        said = [f"{draw.choice(NAMES)} {draw.choice(VERBS)} {draw.choice(OBJECTS)}" for _ in range(3)]
        question = f"What {draw.choice(VERBS)} {draw.choice(OBJECTS)}?"
        out.append((question, f"{said[0]} because {said[1]}.", f"{said[0]} and {said[2]}."))
    return out


def _save(auto: type, family: Family, path: Path, seed: int, **changes: object) -> None:
    torch.manual_seed(seed)
    auto.from_config(config(family, **changes)).save_pretrained(path)  # type: ignore[attr-defined]
    tokenizer(family).save_pretrained(path)


def _save_learned_positions(path: Path) -> None:
    torch.manual_seed(0)
    words = tokenizer("llama")
    shape = GPT2Config(
        vocab_size=len(words),
        n_positions=CONTEXT,
        n_embd=HIDDEN,
        n_layer=2,
        n_head=4,
        initializer_range=0.15,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
    )
    GPT2LMHeadModel(shape).save_pretrained(path)
    words.save_pretrained(path)


def _save_recurrent(path: Path) -> None:
    torch.manual_seed(0)
    words = tokenizer("llama")
    shape = MambaConfig(
        vocab_size=len(words),
        hidden_size=HIDDEN,
        state_size=8,
        num_hidden_layers=2,
        initializer_range=0.3,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    MambaForCausalLM(shape).save_pretrained(path)
    words.save_pretrained(path)


def _save_process_reward(path: Path, seed: int) -> None:
    """Tensors and names of Qwen2.5-Math-PRM: ``score.0`` and ``score.2`` over ``model``."""
    torch.manual_seed(seed)
    shape = config("qwen2", num_labels=2)
    base = Qwen2Model(shape)
    head = torch.nn.Sequential(torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 2))
    _write(path, shape, "Qwen2ForProcessRewardModel", base, {f"score.{k}": v for k, v in head.state_dict().items()})
    tokenizer("qwen2").save_pretrained(path)


def _save_gated(path: Path, seed: int) -> None:
    """Tensors and names of ArmoRM-Llama3-8B: a gate of three hidden layers, objectives that are mixed first."""
    torch.manual_seed(seed)
    shape = config("llama", num_labels=1)
    wide = 32
    layers: dict[str, torch.Tensor] = {}
    for n, (inside, outside) in enumerate([(HIDDEN, wide), (wide, wide), (wide, wide), (wide, OBJECTIVES)]):
        layers |= {f"gating.layers.{n}.{k}": 3 * v for k, v in torch.nn.Linear(inside, outside).state_dict().items()}
    head = {
        "regression_layer.weight": torch.randn(OBJECTIVES, HIDDEN),
        "reward_transform_matrix": torch.eye(OBJECTIVES) - 0.2 * torch.rand(OBJECTIVES, OBJECTIVES),
        "gating.logit_scale": torch.tensor([1.5]),
        **layers,
    }
    more = {"num_objectives": OBJECTIVES, "gating_temperature": 2, "gating_hidden_dim": wide, "gating_n_hidden": 3}
    _write(path, shape, "LlamaForRewardModelWithGating", LlamaModel(shape), head, **more)
    tokenizer("llama").save_pretrained(path)


def _write(
    path: Path,
    shape: object,
    architecture: str,
    base: torch.nn.Module,
    head: dict[str, torch.Tensor],
    **more: object,
) -> None:
    """A checkpoint of an architecture that is not part of transformers: its code would be remote."""
    tensors = {f"model.{name}": tensor for name, tensor in base.state_dict().items()} | head
    save_file(
        {name: tensor.detach().contiguous() for name, tensor in tensors.items()},
        path / "model.safetensors",
        {"format": "pt"},
    )
    known = shape.to_dict() | {"architectures": [architecture]} | more  # type: ignore[attr-defined]
    known["auto_map"] = {"AutoConfig": "modeling_remote.Config", "AutoModel": f"modeling_remote.{architecture}"}
    (path / "config.json").write_text(json.dumps(known))


def _save_encoder(path: Path, labels: int, seed: int) -> None:
    torch.manual_seed(seed)
    words = tokenizer("bert")
    shape = BertConfig(
        vocab_size=len(words),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=CONTEXT,
        initializer_range=0.3,
        num_labels=labels,
        pad_token_id=words.pad_token_id,
    )
    BertForSequenceClassification(shape).save_pretrained(path)
    words.save_pretrained(path)


def _train_preferring(path: Path) -> None:
    """A few seconds of Bradley-Terry training: more than 9 of 10 pairs that it never saw come out right."""
    torch.manual_seed(0)
    words = tokenizer("llama")
    model = AutoModelForSequenceClassification.from_config(config("llama", num_labels=1, initializer_range=0.05))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    examples = pairs(16 * 24, seed=1)
    for start in range(0, len(examples), 16):
        batch = examples[start : start + 16]
        better, worse = (rewards(model, words, [(pair[0], pair[which]) for pair in batch]) for which in (1, 2))
        loss = -torch.nn.functional.logsigmoid(better - worse).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(path)
    words.save_pretrained(path)


def rewards(model: torch.nn.Module, words: PreTrainedTokenizerFast, said: list[tuple[str, str]]) -> torch.Tensor:
    texts = [
        words.apply_chat_template(
            [{"role": "user", "content": question}, {"role": "assistant", "content": answer}], tokenize=False
        )
        for question, answer in said
    ]
    batch = words(texts, add_special_tokens=False, padding=True, return_tensors="pt")
    rewards: torch.Tensor = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits[:, 0]
    return rewards
