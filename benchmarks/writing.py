"""How fast does the engine write, beside transformers and llama.cpp?

``python -m benchmarks.writing [--short | --long]``, after ``make real .venv-llama/llama.stamp``.

SmolLM2-135M-Instruct writes as many tokens to the same prompts by each way: ``generate`` of plain transformers, the
service's engine, freely and held to a JSON Schema, and a running llama.cpp server, the same twice. One prompt alone,
then several at once, a padded batch in transformers. The ways take turns, each has one thread, and what counts
is the CPU time of the process that computes, for the clock of a shared machine says little. No two prompts are the
same, so what an earlier one began with saves little. transformers and the engine compute in float32, llama.cpp in the
four bits of the file.
"""

from __future__ import annotations

import asyncio
import json
import time
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from app.demo.real.model import NAME, unpack_model
from benchmarks.llama import Llama, llama_cpp
from benchmarks.processes import Tree
from benchmarks.report import Form, called, finish, rows
from judges.questions import Generate, Turn
from judges.standalone import Standalone
from trueward.wire.model import ModelEntry

HELD = {
    "type": "object",
    "properties": {"numbers": {"type": "array", "items": {"type": "integer"}, "minItems": 64}},
    "required": ["numbers"],
    "additionalProperties": False,
}
"""More numbers than any way here may write, so that no reply is whole before its tokens are used up."""

_NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal")
_PLACES = ("a mill", "a ship", "the woods", "a mine", "an old house", "a market", "the hills", "a school", "a harbour")


@dataclass(frozen=True, slots=True)
class Scale:
    rounds: int
    prompts: int
    tokens: int


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, prompts=2, tokens=8),
    "quick": Scale(rounds=1, prompts=4, tokens=32),
    "long": Scale(rounds=3, prompts=4, tokens=32),
}


@dataclass(frozen=True, slots=True)
class Written:
    """Of some prompts: tokens, and seconds by the clock and of CPU."""

    read: int
    written: int
    seconds: float
    cpu_s: float
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """``per_s``: tokens written a second of CPU, in the median round; ``wall_per_s`` by the clock."""

    way: str
    at_once: int
    read: int
    written: int
    per_s: float
    wall_per_s: float

    @classmethod
    def of(cls, way: str, at_once: int, found: Sequence[Written]) -> Rate:
        return cls(
            way,
            at_once,
            sum(one.read for one in found),
            sum(one.written for one in found),
            median(one.written / one.cpu_s for one in found),
            median(one.written / one.seconds for one in found),
        )


class Way(Protocol):
    def write(self, prompts: Sequence[str], tokens: int) -> list[tuple[int, int, str]]:
        """Of each prompt, which are asked at once: the tokens read and written, and the text."""

    def cpu_s(self) -> float:
        """Of the process that computes, so far."""


class Transformers:
    def __init__(self, path: Path) -> None:
        self._model = AutoModelForCausalLM.from_pretrained(path).eval()
        self._tokenizer = AutoTokenizer.from_pretrained(path, padding_side="left")

    def write(self, prompts: Sequence[str], tokens: int) -> list[tuple[int, int, str]]:
        turns = [[{"role": "user", "content": prompt}] for prompt in prompts]
        given = self._tokenizer.apply_chat_template(
            turns, add_generation_prompt=True, padding=True, return_dict=True, return_tensors="pt"
        )
        ids: torch.Tensor = self._model.generate(
            **given, do_sample=False, min_new_tokens=tokens, max_new_tokens=tokens
        )[:, given["input_ids"].shape[1] :]
        read = given["attention_mask"].sum(-1).tolist()
        return [(count, tokens, text) for count, text in zip(read, self._tokenizer.batch_decode(ids), strict=True)]

    def cpu_s(self) -> float:
        return time.process_time()


@dataclass(frozen=True, slots=True)
class Engine:
    models: Standalone
    held: bool

    def write(self, prompts: Sequence[str], tokens: int) -> list[tuple[int, int, str]]:
        form = json.dumps(HELD) if self.held else None

        async def ask() -> list[tuple[int, int, str]]:
            asked = [Generate((Turn("user", prompt),), tokens, form=form) for prompt in prompts]
            answers = await asyncio.gather(*(self.models.ask("engine", one) for one in asked))
            return [(one.tokens, one.written, one.text) for one in answers]

        return asyncio.run(ask())

    def cpu_s(self) -> float:
        return time.process_time()


@dataclass(frozen=True, slots=True)
class Server:
    llama: Llama
    held: bool

    def write(self, prompts: Sequence[str], tokens: int) -> list[tuple[int, int, str]]:
        with ThreadPoolExecutor(len(prompts)) as pool:
            return list(pool.map(lambda prompt: self._ask(prompt, tokens), prompts))

    def _ask(self, prompt: str, tokens: int) -> tuple[int, int, str]:
        form: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": {"schema": HELD}}}
        body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": tokens, "temperature": 0}
        body |= form if self.held else {"ignore_eos": True}
        request = urllib.request.Request(
            f"{self.llama.url}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=600) as reply:
            said: dict[str, Any] = json.load(reply)
        usage = said["usage"]
        return usage["prompt_tokens"], usage["completion_tokens"], said["choices"][0]["message"]["content"]

    def cpu_s(self) -> float:
        return sum(Tree(self.llama.pid).cpu_s())


def prompts_of(turn: int, count: int) -> list[str]:
    """Of one measurement: others in each, and as long as each other but for a token or two."""
    return [
        f"Tell me a long story of {_NAMES[place % len(_NAMES)]}, who finds {turn * count + place + 100} coins in "
        f"{_PLACES[(turn + place) % len(_PLACES)]}."
        for place in range(count)
    ]


def measure(way: Way, prompts: Sequence[str], tokens: int) -> Written:
    started, used = time.perf_counter(), way.cpu_s()
    read, written, texts = zip(*way.write(prompts, tokens), strict=True)
    return Written(sum(read), sum(written), time.perf_counter() - started, way.cpu_s() - used, texts)


def rates(ways: dict[str, Way], scale: Scale) -> tuple[list[Rate], bool, bool]:
    """Of each way, alone and at once; whether all read as many tokens, and whether the engine writes as transformers.

    Two prompts that nobody counts come first.
    """
    for way in ways.values():
        measure(way, prompts_of(-9, 2), 2)
    found: dict[tuple[str, int], list[Written]] = {}
    alike = same = True
    for turn in range(scale.rounds):
        for place, at_once in enumerate((1, scale.prompts)):
            prompts = prompts_of(2 * turn + place, at_once)
            names = list(ways)[turn % len(ways) :] + list(ways)[: turn % len(ways)]
            one = {name: measure(ways[name], prompts, scale.tokens) for name in names}
            print({name: round(told.written / told.cpu_s, 1) for name, told in one.items()}, flush=True)
            alike = alike and len({told.read for told in one.values()}) == 1
            if at_once == 1:
                same = same and one["engine"].texts == one["transformers"].texts
            for name, told in one.items():
                found.setdefault((name, at_once), []).append(told)
    return [Rate.of(name, at_once, told) for (name, at_once), told in found.items()], alike, same


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("writing", (__doc__ or "").partition("\n")[0], arguments)
    torch.set_num_threads(1)
    scale = SCALES[call.form]
    path = unpack_model()
    entry = ModelEntry(name="engine", kind="causal", path=str(path.resolve()), device="cpu")
    with ExitStack() as stack:
        models = stack.enter_context(Standalone([entry], device="cpu"))
        llama = stack.enter_context(llama_cpp(at_once=scale.prompts, threads=1))
        ways: dict[str, Way] = {
            "transformers": Transformers(path),
            "engine": Engine(models, held=False),
            "engine, held to a form": Engine(models, held=True),
            "llama.cpp, four bits": Server(llama, held=False),
            "llama.cpp, held to a form": Server(llama, held=True),
        }
        found, alike, same = rates(ways, scale)
    show_rates(found)
    claims = {"every way reads as many tokens": alike, "alone the engine writes what transformers writes": same}
    finish("writing", call, {"scale": scale, "rates": found}, claims)


def show_rates(found: Sequence[Rate]) -> None:
    plain = {one.at_once: one.per_s for one in found if one.way == "transformers"}
    rows(
        f"{NAME} on one thread: tokens written a second of CPU",
        ["", "prompts at once", "read", "written", "a second of CPU", "over transformers", "a second by the clock"],
        [
            [
                one.way,
                str(one.at_once),
                str(one.read),
                str(one.written),
                f"{one.per_s:.1f}",
                f"{one.per_s / plain[one.at_once]:.2f}",
                f"{one.wall_per_s:.1f}",
            ]
            for one in sorted(found, key=lambda one: one.at_once)
        ],
    )


if __name__ == "__main__":
    main()
