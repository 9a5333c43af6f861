"""A mix of everything that trainers send at once: protocols, verifiers, batches and single samples, and programs.

Each request of a mix is another one, so that no cache helps. ``held`` kinds are of clients that do not survive a
refusal; the others send again.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmarks.corpus import Item, corpus
from benchmarks.load.generator import Request, post

Body = dict[str, object]

RECIPES = {"lengths": "range: [0, 1000000]\ninvalid: 0\nterms:\n  - verifier: length\n"}
"""What a mix needs beside the built-in recipes: one that judges without a reference."""

DEADLINE_S = 10.0
BATCH, GROUP = 64, 16
_CODE = "def add(a, b):\n    # {number}\n    return a {sign} b"


@dataclass(frozen=True, slots=True)
class Kind:
    """``samples`` of each request, ``share`` of the requests, ``answer_s`` in which it is to be answered."""

    name: str
    path: str
    samples: int
    share: float
    held: bool
    answer_s: float
    body: Callable[[list[Item], int], Body]


def _native(verifier: str, items: list[Item]) -> Body:
    return {"verifier": verifier, "deadline_s": DEADLINE_S, "samples": [_sample(item) for item in items]}


def _sample(item: Item) -> Body:
    return {"response": item.response, "reference": item.reference}


def _rewards(items: list[Item], number: int) -> Body:
    samples = [{**_sample(item), "prompt": f"{number} {place // 8}"} for place, item in enumerate(items)]
    return {"recipe": "math", "deadline_s": DEADLINE_S, "run": "overload", "step": number, "samples": samples}


def _choice(items: list[Item], number: int) -> Body:
    samples = [
        {"response": f"Case {number}: the answer is ({'AB'[item.correct]}).", "reference": "B"} for item in items
    ]
    return {"recipe": "choice", "deadline_s": DEADLINE_S, "samples": samples}


def _document(items: list[Item], number: int) -> Body:
    samples = [
        {"response": json.dumps({"n": number, "right": item.correct}), "reference": {"n": number, "right": True}}
        for item in items
    ]
    return {"verifier": "json", "deadline_s": DEADLINE_S, "samples": samples}


def _program(item: Item, number: int) -> tuple[str, Body]:
    code = _CODE.format(number=number, sign="+" if item.correct else "-")
    return f"```python\n{code}\n```", {"assertions": ["assert add(2, 3) == 5"]}


def _code(items: list[Item], number: int) -> Body:
    programs = [_program(item, number) for item in items]
    samples = [{"response": response, "reference": tests} for response, tests in programs]
    return {"verifier": "code", "deadline_s": DEADLINE_S, "samples": samples}


def _slime_code(items: list[Item], number: int) -> Body:
    response, tests = _program(items[0], number)
    return {"prompt": f"add, {number}", "response": response, "label": tests}


def _openrlhf(items: list[Item], number: int) -> Body:
    prompts = [f"Question {number} {place}. " for place in range(len(items))]
    queries = [prompt + item.response for prompt, item in zip(prompts, items, strict=True)]
    return {"query": queries, "prompts": prompts, "labels": [item.reference for item in items]}


def _slime(items: list[Item], number: int) -> Body:
    return {"prompt": f"Question {number}.", "response": items[0].response, "label": items[0].reference}


def _roll(items: list[Item], number: int) -> Body:
    info = {"ground_truth": items[0].reference}
    return {"data_id": number, "prompt": "q", "response": items[0].response, "reward_info": info}


def _nemo_gym(items: list[Item], number: int) -> Body:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": items[0].response}]}
    asked = {"input": [{"role": "user", "content": f"Question {number}."}]}
    return {"responses_create_params": asked, "response": {"output": [said]}, "expected_answer": items[0].reference}


def _llama_factory(items: list[Item], number: int) -> Body:
    chat = "<|im_start|>user\n{number}<|im_end|>\n<|im_start|>assistant\n{said}<|im_end|>\n"
    return {"messages": [chat.format(number=number, said=item.response) for item in items]}


KINDS = (
    Kind("verify", "/v1/verify", 1, 0.25, False, DEADLINE_S, lambda items, _: _native("math", items)),
    Kind("verify batch", "/v1/verify", BATCH, 0.05, False, DEADLINE_S, lambda items, _: _native("math", items)),
    Kind("rewards", "/v1/rewards", GROUP, 0.08, False, DEADLINE_S, _rewards),
    Kind("choice", "/v1/rewards", 1, 0.1, False, DEADLINE_S, _choice),
    Kind("json", "/v1/verify", 1, 0.1, False, DEADLINE_S, _document),
    Kind("code", "/v1/verify", 1, 0.04, False, DEADLINE_S, _code),
    Kind("slime code", "/t/code-tests/slime", 1, 0.02, True, 100.0, _slime_code),
    Kind("openrlhf", "/t/math/openrlhf", GROUP, 0.08, True, 150.0, _openrlhf),
    Kind("slime", "/t/math/slime", 1, 0.1, True, 100.0, _slime),
    Kind("roll", "/t/math/roll/submit", 1, 0.03, True, 20.0, _roll),
    Kind("nemo-gym", "/t/math/nemo-gym/verify?reference=expected_answer", 1, 0.1, True, 300.0, _nemo_gym),
    Kind("llama-factory", "/t/lengths/llamafactory", 4, 0.05, True, 300.0, _llama_factory),
)
"""``answer_s``: what the request, or its protocol, allows."""


def mixed(count: int, seed: int) -> Iterable[Request]:
    """``count`` requests of all kinds, by their shares; tags are places in :data:`KINDS`."""
    dice = random.Random(seed)
    return _rendered(dice.choices(range(len(KINDS)), [kind.share for kind in KINDS], k=count), seed)


def requests_of(tag: int, count: int, seed: int) -> Iterable[Request]:
    """``count`` requests of one kind."""
    return _rendered([tag] * count, seed)


def _rendered(tags: list[int], seed: int) -> Iterator[Request]:
    items = corpus(sum(KINDS[tag].samples for tag in tags), seed=seed)
    for number, tag in enumerate(tags):
        kind = KINDS[tag]
        taken = [next(items) for _ in range(kind.samples)]
        body = json.dumps(kind.body(taken, seed * 10_000_000 + number)).encode()
        yield post(kind.path, body, tag)
