"""One sample as each trainer's client sends it, and the number that the trainer reads from the answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import cast

import httpx2

from trueward.trainers.connection import THREADS
from trueward.trainers.openrlhf import reward_function
from trueward.trainers.slime import SlimeSample, custom_rm
from trueward.trainers.verl import async_score

TIMEOUT_S = 180.0


@dataclass(frozen=True, slots=True)
class Draw:
    """One of the responses to a prompt; without a label nothing can judge it."""

    prompt: str
    response: str
    label: str | None


@dataclass(frozen=True, slots=True)
class Where:
    """``size``: how many responses a prompt has, where the trainer's user says so."""

    url: str
    recipe: str
    run: str
    size: int | None

    def path(self, protocol: str) -> str:
        size = "" if self.size is None else f"&group_size={self.size}"
        return f"{self.url}/t/{self.recipe}/{protocol}?run={self.run}{size}"


Asked = Callable[[Draw], Awaitable[float]]
Ask = Callable[[httpx2.AsyncClient, Where, Draw], Awaitable[float]]
Make = Callable[[httpx2.AsyncClient, Where], Asked]


async def _openrlhf(client: httpx2.AsyncClient, where: Where, one: Draw) -> float:
    body = {"query": [f"{one.prompt} {one.response}"], "prompts": [one.prompt], "labels": [one.label]}
    answer = await _posted(client, where.path("openrlhf"), body)
    return float(answer.json()["rewards"][0])


async def _slime(client: httpx2.AsyncClient, where: Where, one: Draw) -> float:
    answer = await _posted(
        client, where.path("slime"), {"prompt": one.prompt, "response": one.response, "label": one.label}
    )
    return float(answer.json())


async def _nemo_gym(client: httpx2.AsyncClient, where: Where, one: Draw) -> float:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": one.response}]}
    params = {"input": [{"role": "user", "content": one.prompt}]}
    body = {"responses_create_params": params, "response": {"output": [said]}, "expected_answer": one.label}
    answer = await _posted(client, where.path("nemo-gym/verify"), body)
    return float(answer.json()["reward"])


async def _eval_protocol(client: httpx2.AsyncClient, where: Where, one: Draw) -> float:
    said = [{"role": "user", "content": one.prompt}, {"role": "assistant", "content": one.response}]
    answer = await _posted(client, where.path("eval-protocol/evaluate"), {"messages": said, "ground_truth": one.label})
    return float(answer.json()["score"])


async def _roll(client: httpx2.AsyncClient, where: Where, one: Draw) -> float:
    body = {
        "data_id": one.prompt, "rollout_id": uuid.uuid4().hex, "prompt": one.prompt, "response": one.response,
        "reward_info": {"ground_truth": one.label},
    }  # fmt: skip
    submitted = await _posted(client, where.path("roll/submit"), body)
    asked = {"reward_request_id": submitted.json()["reward_request_id"]}
    while True:
        answer = await client.request("GET", where.path("roll/result"), json=asked)
        answer.raise_for_status()
        if answer.json()["errcode"] == 0:
            return float(answer.json()["reward_score"])
        await asyncio.sleep(2.0)


def _verl(client: httpx2.AsyncClient, where: Where) -> Asked:
    """The plug-in, whose callers have no more than an index of the prompt."""
    score = async_score(where.url, recipe=where.recipe, run=where.run, group_size=where.size)

    async def asked(one: Draw) -> float:
        return (await score("sums", one.response, one.label, {"index": one.prompt}))["score"]

    return asked


def _openrlhf_file(client: httpx2.AsyncClient, where: Where) -> Asked:
    """The plug-in, in threads."""
    function = reward_function(where.url, recipe=where.recipe, run=where.run, group_size=where.size)

    async def asked(one: Draw) -> float:
        said = await asyncio.to_thread(function, [f"{one.prompt} {one.response}"], [one.prompt], [one.label])
        return float(cast(Sequence[float], said["rewards"])[0])

    return asked


def _slime_custom(client: httpx2.AsyncClient, where: Where) -> Asked:
    """The plug-in, with a mask beside the number."""
    function = custom_rm(where.url, recipe=where.recipe, run=where.run, group_size=where.size)

    async def asked(one: Draw) -> float:
        sample = SimpleNamespace(
            prompt=one.prompt, response=one.response, label=one.label, response_length=9, status="completed",
            metadata={}, group_index=None, remove_sample=False,
        )  # fmt: skip
        number = await function(None, cast(SlimeSample, sample))
        assert sample.remove_sample == (one.label is None)
        return cast(float, number)

    return asked


def _over_http(ask: Ask) -> Make:
    return lambda client, where: partial(ask, client, where)


async def _posted(client: httpx2.AsyncClient, url: str, body: Mapping[str, object]) -> httpx2.Response:
    answer = await client.post(url, json=body)
    answer.raise_for_status()
    return answer


@dataclass(frozen=True, slots=True)
class Protocol:
    """``at_once``: calls that its client has under way."""

    make: Make
    at_once: int = 64


PROTOCOLS: Mapping[str, Protocol] = {
    "openrlhf": Protocol(_over_http(_openrlhf)),
    "slime": Protocol(_over_http(_slime)),
    "nemo_gym": Protocol(_over_http(_nemo_gym)),
    "eval_protocol": Protocol(_over_http(_eval_protocol)),
    "roll": Protocol(_over_http(_roll), at_once=32),
    "openrlhf, file": Protocol(_openrlhf_file, at_once=THREADS),
    "slime, custom": Protocol(_slime_custom),
    "verl": Protocol(_verl),
}


async def asked(name: str, where: Where, draws: Sequence[Draw]) -> list[float]:
    """The numbers of the draws, sent in order, so many under way at once."""
    protocol = PROTOCOLS[name]
    room = asyncio.Semaphore(protocol.at_once)
    limits = httpx2.Limits(max_connections=protocol.at_once, max_keepalive_connections=protocol.at_once)
    async with httpx2.AsyncClient(timeout=TIMEOUT_S, limits=limits) as client:
        ask = protocol.make(client, where)

        async def one(draw: Draw) -> float:
            async with room:
                return await ask(draw)

        return await asyncio.gather(*map(one, draws))
