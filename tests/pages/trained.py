"""A run as training makes it, and a recipe with two versions, for the pictures."""

from __future__ import annotations

import random

import httpx2

from trueward import Client
from trueward.wire.sample import Sample

RUN = "exp/adding-1"
RECIPE = "adding"
STEPS = 40


def train(url: str) -> None:
    """A policy that learns to add, with two checkpoints; now and then a response is empty or has no reference."""
    draw = random.Random(0)
    for weight in (0.1, 0.05):
        terms = [{"verifier": "math"}, {"verifier": "format", "weight": weight, "gate": "math"}]
        body = {"description": "Sums, and a little for the form.", "terms": terms}
        httpx2.put(f"{url}/v1/recipes/{RECIPE}", json=body, timeout=60.0).raise_for_status()
    with Client(url) as client:
        for step in range(STEPS):
            samples = [_sample(draw, step, group, number) for group in range(8) for number in range(4)]
            client.reward(samples, recipe=RECIPE, run=RUN, step=step, policy=f"v{step // 16}")


def _sample(draw: random.Random, step: int, group: int, number: int) -> Sample:
    right = draw.random() < 0.2 + 0.6 * step / STEPS - 0.04 * group
    reasoning = "First the ones, then the tens. " * draw.randint(1, 2 + step // 8)
    answer = f"{reasoning}\\boxed{{{group + step if right else draw.randint(100, 200)}}}"
    return Sample(
        id=f"{group}-{number}",
        group=f"{step}-{group}",
        prompt=f"{group} + {step} = ?",
        response="" if draw.random() < 0.03 else answer,
        reference=None if draw.random() < 0.01 else str(group + step),
    )
