"""What is measured: a model with random weights, its tokenizer, and texts of realistic lengths."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    LlamaConfig,
    PreTrainedTokenizerFast,
)

WORDS = 6_000
MEDIAN_TOKENS, SPREAD = 220, 0.6
SHORTEST, LONGEST = 24, 1_024


@dataclass(frozen=True, slots=True)
class Size:
    """A Llama of these dimensions; ``dtype`` as transformers names it."""

    hidden: int
    layers: int
    heads: int
    key_value_heads: int
    inner: int
    vocabulary: int
    dtype: str = "float32"

    def config(self, **more: object) -> LlamaConfig:
        return LlamaConfig(
            hidden_size=self.hidden,
            num_hidden_layers=self.layers,
            num_attention_heads=self.heads,
            num_key_value_heads=self.key_value_heads,
            intermediate_size=self.inner,
            vocab_size=self.vocabulary,
            max_position_embeddings=4096,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
            **more,
        )


SMALL = Size(64, 2, 4, 2, 128, 8_192)
CPU = Size(512, 6, 8, 4, 1_536, 8_192)
GPU = Size(2_048, 16, 32, 8, 8_192, 128_256, "bfloat16")


def save(size: Size, path: Path, *, causal: bool = False) -> Path:
    """Writes model and tokenizer into a directory."""
    torch.manual_seed(0)
    dtype = getattr(torch, size.dtype)
    auto = AutoModelForCausalLM if causal else AutoModelForSequenceClassification
    config = size.config() if causal else size.config(num_labels=1)
    auto.from_config(config, dtype=dtype).save_pretrained(path)
    tokenizer().save_pretrained(path)
    return path


@cache
def tokenizer() -> PreTrainedTokenizerFast:
    """Byte-level BPE trained on the words that the texts are made of."""
    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>"]
    trainer = trainers.BpeTrainer(
        vocab_size=8_000, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    plain.train_from_iterator([" ".join(vocabulary()[at : at + 50]) for at in range(0, WORDS, 50)], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=plain, pad_token="<pad>", bos_token="<s>", eos_token="</s>")


def vocabulary() -> list[str]:
    letters = random.Random(1)
    return ["".join(letters.choices("etaoinshrdlucmfwypvbgk", k=letters.randint(2, 9))) for _ in range(WORDS)]


def texts(count: int, seed: int) -> list[str]:
    """Lengths are log-normal: most are a few hundred tokens, some a thousand."""
    draw = random.Random(seed)
    words = vocabulary()
    lengths = [min(max(int(draw.lognormvariate(0, SPREAD) * MEDIAN_TOKENS), SHORTEST), LONGEST) for _ in range(count)]
    return [" ".join(draw.choices(words, k=max(length // 2, 8))) for length in lengths]


def ids(count: int, length: int, seed: int, size: Size) -> Sequence[tuple[int, ...]]:
    """Sequences of exactly that many tokens."""
    draw = random.Random(seed)
    top = min(size.vocabulary, 8_000)
    return [tuple(draw.randrange(3, top) for _ in range(length)) for _ in range(count)]
