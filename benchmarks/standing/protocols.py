"""One sample as each trainer's client sends it, and the number that the trainer reads from the answer."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial

import httpx2

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


Ask = Callable[[httpx2.AsyncClient, Where, Draw], Awaitable[float]]


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


async def _posted(client: httpx2.AsyncClient, url: str, body: Mapping[str, object]) -> httpx2.Response:
    answer = await client.post(url, json=body)
    answer.raise_for_status()
    return answer


@dataclass(frozen=True, slots=True)
class Protocol:
    """``at_once``: calls that its client has under way."""

    ask: Ask
    at_once: int = 64


PROTOCOLS: Mapping[str, Protocol] = {
    "openrlhf": Protocol(_openrlhf),
    "slime": Protocol(_slime),
    "nemo_gym": Protocol(_nemo_gym),
    "eval_protocol": Protocol(_eval_protocol),
    "roll": Protocol(_roll, at_once=32),
}


async def asked(name: str, where: Where, draws: list[Draw]) -> list[float]:
    """The numbers of the draws, sent in order, so many under way at once."""
    protocol = PROTOCOLS[name]
    room = asyncio.Semaphore(protocol.at_once)
    limits = httpx2.Limits(max_connections=protocol.at_once, max_keepalive_connections=protocol.at_once)
    async with httpx2.AsyncClient(timeout=TIMEOUT_S, limits=limits) as client:
        ask = partial(protocol.ask, client, where)

        async def one(draw: Draw) -> float:
            async with room:
                return await ask(draw)

        return await asyncio.gather(*map(one, draws))
