"""Toy models, built on the spot: tiny Llamas that learn sums within seconds on two cores. They know nothing else.

One for each head of the model lane: next tokens (a causal model), and what is made of that one, as judges often are: a
number a text (a reward model, by preferences) and a row a step (a process reward model).
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    LlamaConfig,
    PreTrainedTokenizerFast,
)
from transformers.utils import logging

from app.demo.models.sums import DigitSum, draw_sums
from app.demo.models.toys import SEPARATOR, Toys

PAD, END, ASSISTANT = "<pad>", "<end>", "<assistant>"
SPECIAL = [PAD, END, "<system>", "<user>", ASSISTANT, SEPARATOR]
TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}<end>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
CONTEXT = 256
IGNORED = -100
"""Label of a token that nothing is learned from."""

Batch = dict[str, torch.Tensor]
Loss = Callable[[list[DigitSum], Random], torch.Tensor]


@dataclass(frozen=True, slots=True)
class Lessons:
    """How many batches each model sees; the causal model ``first`` so many, and ``later`` some more."""

    first: int = 40
    later: int = 120
    reward: int = 160
    process: int = 220


def build(root: Path, lessons: Lessons) -> Toys:
    """Trains the models and saves them under ``root``."""
    torch.set_num_threads(1)  # on such small models two wait for each other more than they work
    logging.disable_progress_bar()
    logging.set_verbosity_error()  # new heads are what we ask for
    toys, words = Toys.under(root), tokenizer()
    torch.manual_seed(0)
    causal = AutoModelForCausalLM.from_config(_shape(words))
    for count, path in ((lessons.first, toys.causal), (lessons.later, toys.later)):
        _train(causal, lambda sums, _: _next_tokens(causal, words, sums), count, size=32, rate=2e-3)
        _save(causal, words, path)
    reward = AutoModelForSequenceClassification.from_pretrained(toys.later, num_labels=1)
    process = AutoModelForTokenClassification.from_pretrained(toys.later, num_labels=2)
    judges: list[tuple[torch.nn.Module, Loss, int]] = [
        (reward, lambda sums, draw: _preferences(reward, words, sums, draw), lessons.reward),
        (process, lambda sums, draw: _steps(process, words, sums, draw), lessons.process),
    ]
    with ThreadPoolExecutor(len(judges)) as pool:
        list(pool.map(lambda judge: _train(*judge, size=64, rate=1e-3), judges))
    _save(reward, words, toys.reward)
    _save(process, words, toys.process)
    return toys


def tokenizer() -> PreTrainedTokenizerFast:
    """Bytes with a few merges, a digit a token."""
    words = Tokenizer(models.BPE())
    words.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    words.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, initial_alphabet=alphabet, show_progress=False)
    words.train_from_iterator([" ".join(one.working()) for one in draw_sums(200, Random(0))], trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=words, model_max_length=CONTEXT)
    made.add_special_tokens({"pad_token": PAD, "eos_token": END, "additional_special_tokens": SPECIAL})
    made.chat_template = TEMPLATE
    return made


def _shape(words: PreTrainedTokenizerFast) -> LlamaConfig:
    """Two layers; weights wide apart at first, for such narrow ones learn slowly from small weights."""
    return LlamaConfig(
        vocab_size=len(words),
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        initializer_range=0.1,
        max_position_embeddings=CONTEXT,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
        bos_token_id=None,
    )


def _train(model: torch.nn.Module, loss_of: Loss, batches: int, *, size: int, rate: float) -> None:
    draw = Random(batches)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate)
    model.train()
    for _ in range(batches):
        loss = loss_of(draw_sums(size, draw), draw)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def _save(model: torch.nn.Module, words: PreTrainedTokenizerFast, path: Path) -> None:
    model.save_pretrained(path)
    words.save_pretrained(path)


def _preferences(
    model: torch.nn.Module, words: PreTrainedTokenizerFast, sums: list[DigitSum], draw: Random
) -> torch.Tensor:
    """Bradley and Terry's loss: the right working before one with a mistake."""
    right = [_conversation(one, "\n\n".join(one.working())) for one in sums]
    wrong = [_conversation(one, "\n\n".join(one.make_mistakes(draw))) for one in sums]
    better, worse = model(**_encoded(words, right + wrong)).logits[:, 0].split(len(sums))
    return -torch.nn.functional.logsigmoid(better - worse).mean()


def _steps(model: torch.nn.Module, words: PreTrainedTokenizerFast, sums: list[DigitSum], draw: Random) -> torch.Tensor:
    """At the separator after each step: is it what the right working says?"""
    told = [(one, said) for one in sums for said in (one.working(), one.make_mistakes(draw))]
    batch = _encoded(words, [_conversation(one, "".join(step + SEPARATOR for step in said)) for one, said in told])
    right = [step == proper for one, said in told for step, proper in zip(said, one.working(), strict=True)]
    places = batch["input_ids"] == words.convert_tokens_to_ids(SEPARATOR)
    return torch.nn.functional.cross_entropy(model(**batch).logits[places], torch.tensor(right).long())


def _next_tokens(model: torch.nn.Module, words: PreTrainedTokenizerFast, sums: list[DigitSum]) -> torch.Tensor:
    """Of the workings; nothing is learned from the questions."""
    batch = _encoded(words, [_conversation(one, "\n\n".join(one.working())) for one in sums])
    ids = batch["input_ids"]
    said = (ids == words.convert_tokens_to_ids(ASSISTANT)).cumsum(1) > 0
    labels = ids.masked_fill(~said | (ids == words.pad_token_id), IGNORED)
    loss: torch.Tensor = model(**batch, labels=labels).loss
    return loss


def _conversation(asked: DigitSum, reply: str) -> str:
    """As the template writes it."""
    return f"<user>{asked.question}<end><assistant>{reply}<end>"


def _encoded(words: PreTrainedTokenizerFast, texts: list[str]) -> Batch:
    found = words(texts, add_special_tokens=False, padding=True, return_tensors="pt")
    return {name: found[name] for name in ("input_ids", "attention_mask")}
