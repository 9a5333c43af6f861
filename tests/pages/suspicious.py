"""A run whose reward jumps at step 23: from there on the policy lists candidate numbers, which a loose recipe pays."""

from __future__ import annotations

import random

import httpx2

from trueward import Client
from trueward.wire.sample import Sample

JUMP = 23
STEPS = 40
PROMPTS, RESPONSES = 6, 4
RECIPE = "any-number"


def train(url: str, run: str, jump: int = JUMP, seed: int = 0) -> dict[str, bool]:
    """The run, with one mean of reward before the jump; says of each response whether it is right."""
    terms = [
        {"verifier": "regex", "params": {"mode": "search", "scope": "response"}, "answer": True},
        {"verifier": "format", "weight": 0.1},
    ]
    body = {"description": "A match anywhere in the response.", "terms": terms}
    httpx2.put(f"{url}/v1/recipes/{RECIPE}", json=body, timeout=60.0).raise_for_status()
    draw = random.Random(seed)
    truth: dict[str, bool] = {}
    with Client(url) as client:
        for step in range(STEPS):
            samples = [
                _sample(draw, step, prompt, number, step >= jump, truth)
                for prompt in range(PROMPTS)
                for number in range(RESPONSES)
            ]
            client.reward(samples, recipe=RECIPE, run=run, step=step, policy=f"v{step // 10}")
    return truth


def _sample(draw: random.Random, step: int, prompt: int, number: int, listing: bool, truth: dict[str, bool]) -> Sample:
    answer = 30 + prompt
    lists = listing and draw.random() < 0.5
    right = not lists and draw.random() < (0.5 if listing else 0.35)
    thought = f"Attempt {draw.randrange(10**6):06d}"
    if lists:
        response = f"{thought}.\nPossible answers: {', '.join(str(answer + one) for one in range(-2, 3))}"
    else:
        response = f"{thought}.\nThe answer is {answer if right else draw.randint(200, 900)}"
    truth[response] = right
    return Sample(
        id=f"{prompt}-{number}",
        group=f"{step}-{prompt}",
        prompt=f"What is {prompt} + 30?",
        response=response,
        reference=str(answer),
        data_source="odd" if prompt % 2 else "even",
    )
