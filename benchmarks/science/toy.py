"""A toy task of one-character tokens, and a tiny policy that is warmed up until it is right at a given rate.

Letters are those of ``benchmarks.digits``. The rate is that of sampling, computed and not sampled: the probability of
all right responses, mean over prompts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from benchmarks import digits
from benchmarks.digits import Pair

CHECKED = 256
IGNORED = -100


@dataclass(frozen=True, slots=True)
class Toy:
    """``problem`` draws a prompt and its reference; prompts have one length. ``taught`` draws what the warm-up lets
    the policy say to it, ``right`` lists all right responses to a reference. ``longest`` response, in characters."""

    name: str
    problem: Callable[[random.Random], Pair]
    taught: Callable[[random.Random, str, str], str]
    right: Callable[[str], Sequence[str]]
    longest: int


@dataclass(frozen=True, slots=True)
class Shape:
    layers: int = 1
    hidden: int = 64


@dataclass(frozen=True, slots=True)
class Start:
    """A warmed-up policy; ``accuracy`` is its true one by sampling at temperature 1."""

    folder: Path
    accuracy: float
    steps: int


def problems(toy: Toy, purpose: str, seed: int) -> Iterator[Pair]:
    """Distinct prompts with their references, until there are no more. ``purpose`` such as train, check."""
    draw, seen = random.Random(f"{toy.name}/{purpose}/{seed}"), set[str]()
    while True:
        prompt, reference = toy.problem(draw)
        if prompt not in seen:
            seen.add(prompt)
            yield prompt, reference


def some(toy: Toy, purpose: str, seed: int, count: int) -> list[Pair]:
    source = problems(toy, purpose, seed)
    return [next(source) for _ in range(count)]


def warmed_up(
    toy: Toy,
    folder: Path,
    seed: int,
    *,
    least: float,
    most: float,
    shape: Shape | None = None,
    lr: float = 1e-3,
    batch: int = 256,
    limit: int = 3_000,
) -> Start:
    """Teaches until the accuracy is ``least``. Raises ValueError where it jumps over ``most``, or is not reached in
    ``limit`` steps."""
    shape = shape or Shape()
    learner, words = digits.model(seed, shape.layers, shape.hidden), digits.tokenizer()
    optimiser = torch.optim.AdamW(learner.parameters(), lr=lr)
    draw, check = random.Random(f"{toy.name}/warm-up/{seed}"), some(toy, "check", seed, CHECKED)
    for step in range(1, limit + 1):
        asked = [toy.problem(draw) for _ in range(batch)]
        said = [(prompt, toy.taught(draw, prompt, reference)) for prompt, reference in asked]
        ids, labels = encoded(said, words)
        loss = learner(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        rate = accuracy(toy, learner, words, check) if step % 2 == 0 else 0.0
        if rate >= least:
            if rate > most:
                raise ValueError(f"{toy.name}, seed {seed}: step {step} went over the range, to {rate:.3f}")
            learner.save_pretrained(folder)
            words.save_pretrained(folder)
            return Start(folder, rate, step)
    raise ValueError(f"{toy.name}, seed {seed}: {rate:.3f} after {limit} steps")


def accuracy(toy: Toy, learner: LlamaForCausalLM, words: PreTrainedTokenizerFast, asked: Sequence[Pair]) -> float:
    """The probability that a sampled response is right, mean over the prompts."""
    rows = [(prompt, right) for prompt, reference in asked for right in toy.right(reference)]
    return sum(probabilities(learner, words, rows)) / len(asked)


def probabilities(learner: LlamaForCausalLM, words: PreTrainedTokenizerFast, rows: Sequence[Pair]) -> list[float]:
    """Of sampling each (prompt, response), its end included, at temperature 1."""
    ids, labels = encoded(rows, words)
    with torch.no_grad():
        said = torch.log_softmax(learner(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[:, :-1], -1)
    wanted = labels[:, 1:]
    each = said.gather(-1, wanted.clamp(min=0)[..., None])[..., 0]
    found: list[float] = each.masked_fill(wanted == IGNORED, 0.0).sum(-1).exp().tolist()
    return found


def encoded(rows: Sequence[Pair], words: PreTrainedTokenizerFast) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and labels, ``[B, T]``: prompt, response, end, padding on the right, of which response and end are labels."""
    asked, said = ([words(text)["input_ids"] for text in column] for column in zip(*rows, strict=True))
    width = max(len(one) + len(two) for one, two in zip(asked, said, strict=True)) + 1
    ids = torch.full((len(rows), width), words.pad_token_id)
    labels = torch.full((len(rows), width), IGNORED)
    for row, (one, two) in enumerate(zip(asked, said, strict=True)):
        end = [*two, words.eos_token_id]
        ids[row, : len(one) + len(end)] = torch.tensor([*one, *end])
        labels[row, len(one) : len(one) + len(end)] = torch.tensor(end)
    return ids, labels
