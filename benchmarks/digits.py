"""Toy tasks that a tiny transformer learns in minutes: four digits to sort, two numbers to add in reversed digits.

Prompts of a task have one length, one token a character. Some prompts are held out: neither the warm-up nor the
training sees them. ``warmed_up`` trains with the answers until greedy accuracy on held-out prompts is in a given range.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

LETTERS = "0123456789+="
END, PAD = "<end>", "<pad>"
HELD_OUT = 256


@dataclass(frozen=True, slots=True)
class Task:
    """``problem`` draws a prompt with its answer; ``length`` is that of every answer."""

    name: str
    problem: Callable[[random.Random], tuple[str, str]]
    length: int


def _sorting(draw: random.Random) -> tuple[str, str]:
    digits = draw.choices("0123456789", k=4)
    return "".join(digits) + "=", "".join(sorted(digits))


def _adding(draw: random.Random) -> tuple[str, str]:
    """Three digits each, lowest first, so that every carry is known when it is needed."""
    one, other = draw.randrange(1000), draw.randrange(1000)
    return f"{one:03d}"[::-1] + "+" + f"{other:03d}"[::-1] + "=", f"{one + other:04d}"[::-1]


SORTING = Task("sorting", _sorting, 4)
ADDING = Task("adding", _adding, 4)

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WarmedUp:
    folder: Path
    accuracy: float
    steps: int


def pairs(task: Task, seed: int, held_out: bool) -> Iterator[Pair]:
    """Problems without end, of the held-out prompts or of the others."""
    draw = random.Random(f"{task.name}/{seed}/{held_out}")
    while True:
        prompt, answer = task.problem(draw)
        if (random.Random(f"split/{prompt}").random() < 0.1) == held_out:
            yield prompt, answer


def some(task: Task, seed: int, held_out: bool, count: int) -> list[Pair]:
    source = pairs(task, seed, held_out)
    return [next(source) for _ in range(count)]


def write_prompts(path: Path, problems: Sequence[Pair]) -> Path:
    lines = [json.dumps({"prompt": prompt, "reference": answer}) + "\n" for prompt, answer in problems]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def tokenizer() -> PreTrainedTokenizerFast:
    vocabulary = {token: number for number, token in enumerate([PAD, END, *LETTERS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token=PAD))
    words.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    words.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(tokenizer_object=words, eos_token=END, pad_token=PAD)


def model(seed: int, layers: int = 2, hidden: int = 128) -> LlamaForCausalLM:
    torch.manual_seed(seed)
    words = tokenizer()
    shape = LlamaConfig(
        vocab_size=len(words),
        hidden_size=hidden,
        intermediate_size=4 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        max_position_embeddings=64,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        bos_token_id=None,
        tie_word_embeddings=False,
    )
    return LlamaForCausalLM(shape)


def warmed_up(
    task: Task, folder: Path, seed: int, *, layers: int = 2, hidden: int = 128, least: float = 0.2, most: float = 0.3
) -> WarmedUp:
    """Raises ValueError where accuracy jumps over the range or does not reach it in 2,000 steps."""
    learner = model(seed, layers, hidden)
    words = tokenizer()
    optimiser = torch.optim.AdamW(learner.parameters(), lr=1e-3)
    source, check = pairs(task, seed, held_out=False), some(task, seed, True, HELD_OUT)
    for step in range(1, 2_001):
        ids = encoded([prompt + answer for prompt, answer in (next(source) for _ in range(256))], words)
        labels = ids.clone()
        labels[:, : -task.length - 1] = -100
        loss = learner(input_ids=ids, labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        accuracy = greedy(learner, words, check)
        if accuracy >= least:
            if accuracy > most:
                raise ValueError(f"{task.name}, seed {seed}: step {step} went over the range, to {accuracy:.3f}")
            learner.save_pretrained(folder)
            words.save_pretrained(folder)
            return WarmedUp(folder, accuracy, step)
    raise ValueError(f"{task.name}, seed {seed}: {accuracy:.3f} after 2,000 steps")


def encoded(texts: Sequence[str], words: PreTrainedTokenizerFast) -> torch.Tensor:
    """All of one length, each with the end token."""
    return torch.tensor([[*words(text)["input_ids"], words.eos_token_id] for text in texts])


def greedy(learner: LlamaForCausalLM, words: PreTrainedTokenizerFast, problems: Sequence[Pair]) -> float:
    """Teacher forcing says whether the greedy response is right: it is where every token is the likeliest."""
    ids = encoded([prompt + answer for prompt, answer in problems], words)
    with torch.no_grad():
        said = learner(input_ids=ids).logits[:, :-1].argmax(-1)
    length = len(problems[0][1]) + 1
    return float((said[:, -length:] == ids[:, -length:]).all(1).float().mean())
