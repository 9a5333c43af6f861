"""A tiny policy that imitates texts for a fixed number of steps: what it then says has the texts' own frequencies.

``toy.warmed_up`` teaches until the policy is right at a given rate. Here the rate is that of the texts: a policy that
has learnt them says a wrong answer as often as they do, and its likeliest answer is theirs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from pathlib import Path

import torch
from transformers import LlamaForCausalLM

from benchmarks import digits
from benchmarks.digits import Pair
from benchmarks.science.toy import Shape, encoded

Source = Callable[[random.Random], Pair]
"""Draws a prompt and what the policy is to say to it."""


def imitating(
    lessons: Sequence[tuple[Source, int]], folder: Path, seed: int, *, shape: Shape, lr: float, batch: int
) -> LlamaForCausalLM:
    """Each source for so many steps, one after the other; the learning rate falls to nothing in a straight line.

    Leaves model and tokenizer in ``folder``.
    """
    learner, words = digits.model(seed, shape.layers, shape.hidden), digits.tokenizer()
    optimiser, draw = torch.optim.AdamW(learner.parameters(), lr=lr), random.Random(f"imitation/{seed}")
    taught = list(chain.from_iterable(repeat(source, steps) for source, steps in lessons))
    for step, source in enumerate(taught):
        optimiser.param_groups[0]["lr"] = lr * (1 - step / len(taught))
        ids, labels = encoded([source(draw) for _ in range(batch)], words)
        loss = learner(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    learner.save_pretrained(folder)
    words.save_pretrained(folder)
    return learner.eval()
