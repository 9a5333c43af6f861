"""Does a slow judge cost a reward? Three trainers with deadlines of their own ask one that takes 14 seconds.

``python -m benchmarks.slow_judge [--short | --quick | --long]``. All is real but for the judge's mind: service, HTTP,
trainers' plug-ins and waiting. The judge (``benchmarks/peers/judge.py``) knows from the response what it has to say.
TRL's reward function has 60 s, OpenRLHF's calls have their client's 180 s, our client has 20 s; a fourth caller has
10 s, which no waiting can cure. ``--long`` takes half an hour. ``benchmarks.patience`` has more scenes, in
virtual time.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2

from benchmarks import servers
from benchmarks.peers.judge import WRONG
from benchmarks.processes import Footprint
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward import AsyncClient, Sample
from trueward.errors import DeadlineExceeded
from trueward.trainers.trl import async_reward_function
from trueward.wire.model import ModelEntry

DELAY_S = 14.0
OPENRLHF_CLIENT_S = 180.0
GROUP = 4
GROWTH = 1.1
RECIPE = {"verifier": "judge"}
SMALL = {"verdict_cache": 500, "check_cache": 500, "model_cache": 100}
"""Caches that are full early: whatever still grows is a leak."""

Ask = Callable[[Sequence[tuple[str, str, bool]]], Coroutine[Any, Any, list[float | None]]]


@dataclass(frozen=True, slots=True)
class Scale:
    """For how long, how long the judge takes, and deadlines: TRL's, our client's, and one that is too short.

    Of a deadline the client keeps up to a second for the way, and the service up to two for recording.
    """

    seconds: float
    delay_s: float = DELAY_S
    trl_s: float = 60.0
    client_s: float = 20.0
    hurry_s: float = 10.0


SCALES: dict[Form, Scale] = {
    "short": Scale(12.0, delay_s=2.0, trl_s=30.0, client_s=10.0, hurry_s=2.0),
    "quick": Scale(180.0),
    "long": Scale(1_800.0),
}


@dataclass(slots=True)
class Trainer:
    """What came of one caller's steps.

    ``curable``: waiting within its deadline gives a reward. ``wronged``: right responses that were paid as wrong
    ones, or wrong ones as right.
    """

    name: str
    deadline_s: float
    step_size: int
    curable: bool = True
    steps: int = 0
    samples: int = 0
    missing: int = 0
    wronged: int = 0
    longest_step_s: float = 0.0


@dataclass(slots=True)
class Found:
    trainers: list[Trainer]
    calls: int = 0
    footprints: list[Footprint] = field(default_factory=list)


async def train(trainer: Trainer, ask: Ask, until_s: float) -> None:
    """Steps one after another; each third response is wrong."""
    while (began := time.monotonic()) < until_s:
        step = [_posed(trainer, place) for place in range(trainer.step_size)]
        rewards = await ask(step)
        trainer.steps += 1
        trainer.samples += len(step)
        trainer.longest_step_s = max(trainer.longest_step_s, time.monotonic() - began)
        for (_, _, right), reward in zip(step, rewards, strict=True):
            trainer.missing += reward is None
            trainer.wronged += reward is not None and reward != float(right)


def _posed(trainer: Trainer, place: int) -> tuple[str, str, bool]:
    """Prompt, response, and whether it is right."""
    number, right = f"{trainer.name} {trainer.steps} {place}", place % 3 != 0
    prompt = f"{trainer.name} {trainer.steps}: how many wagons are {place // GROUP} and 12?"
    return prompt, f"Train {number}: it has {'as many as it should' if right else WRONG}.", right


def with_client(client: AsyncClient, trainer: Trainer, run: str) -> Ask:
    async def ask(step: Sequence[tuple[str, str, bool]]) -> list[float | None]:
        samples = [Sample(prompt=prompt, response=response, reference="12 more") for prompt, response, _ in step]
        try:
            answer = await client.reward(samples, recipe=RECIPE, deadline_s=trainer.deadline_s, run=run)
        except DeadlineExceeded:  # of a busy machine: the answer that nothing was judged came too late as well
            return [None] * len(samples)
        return [one.reward for one in answer.rewards]

    return ask


def with_trl(url: str, trainer: Trainer) -> Ask:
    function = async_reward_function(url, recipe=RECIPE, run="trl", deadline_s=trainer.deadline_s)

    async def ask(step: Sequence[tuple[str, str, bool]]) -> list[float | None]:
        prompts, completions = [prompt for prompt, _, _ in step], [response for _, response, _ in step]
        return await function(prompts, completions, reference=["12 more"] * len(step))

    return ask


def with_openrlhf(url: str, http: httpx2.AsyncClient) -> Ask:
    """A request a sample, all at once, tried once."""

    async def one(prompt: str, response: str) -> float | None:
        body = {"query": [prompt + response], "prompts": [prompt], "labels": ["12 more"]}
        answer = (await http.post(f"{url}/t/slow/openrlhf?run=openrlhf&group_size={GROUP}", json=body)).json()
        return None if answer["extra_logs"]["trueward_missing"][0] else float(answer["rewards"][0])

    async def ask(step: Sequence[tuple[str, str, bool]]) -> list[float | None]:
        return list(await asyncio.gather(*(one(prompt, response) for prompt, response, _ in step)))

    return ask


async def measured(scale: Scale, server: servers.Server, model: servers.Server) -> Found:
    trl, openrlhf = Trainer("TRL", scale.trl_s, 24), Trainer("OpenRLHF", OPENRLHF_CLIENT_S, 24)
    ours, hasty = Trainer("client", scale.client_s, 12), Trainer("in a hurry", scale.hurry_s, 4, curable=False)
    found = Found([trl, openrlhf, ours, hasty])
    async with AsyncClient(server.url) as client, httpx2.AsyncClient(timeout=OPENRLHF_CLIENT_S) as http:
        await client.add_model(ModelEntry(name="judge", kind="causal", backend="openai", url=model.url))
        await client.put_recipe("slow", RECIPE)
        until_s = time.monotonic() + scale.seconds
        training = [
            asyncio.create_task(train(trainer, ask, until_s))
            for trainer, ask in (
                (trl, with_trl(server.url, trl)),
                (openrlhf, with_openrlhf(server.url, http)),
                (ours, with_client(client, ours, "client")),
                (hasty, with_client(client, hasty, "hurry")),
            )
        ]
        for _ in range(3):
            await asyncio.sleep(scale.seconds / 3)
            found.footprints.append(await asyncio.to_thread(server.tree.footprint))
        await asyncio.gather(*training)
    found.calls = int(json.loads(model.get("/ready"))["calls"])
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("slow_judge", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    os.environ["JUDGE_DELAY_S"] = str(scale.delay_s)
    with servers.peer("judge", 1) as model, servers.trueward(workers=1, **SMALL) as server:
        found = asyncio.run(measured(scale, server, model))
    rows(
        f"A judge that takes {scale.delay_s:g} s, for {scale.seconds / 60:g} minutes",
        ["trainer", "deadline", "steps", "samples", "missing", "wrongly paid", "longest step"],
        [
            [
                one.name,
                f"{one.deadline_s:g} s",
                str(one.steps),
                f"{one.samples:,}",
                str(one.missing),
                str(one.wronged),
                f"{one.longest_step_s:.0f} s",
            ]
            for one in found.trainers
        ],
    )
    judged = sum(one.samples for one in found.trainers if one.curable)
    early, _, late = (one.memory_bytes for one in found.footprints)
    print(f"calls of the judge: {found.calls:,}, {judged:,} of them for rewards that could be had")
    aims = [
        Aim(
            "the service's memory at the end over that after a third",
            f"at most {GROWTH:g}",
            f"{late / early:.2f} ({early / 2**20:.0f} and {late / 2**20:.0f} MiB)",
            late <= GROWTH * early if call.form != "short" else None,
            "not found out",
        )
    ]
    show_aims(aims)
    hasty = [one for one in found.trainers if not one.curable]
    claims = {
        "no reward is missing that waiting within its deadline would have cured": not any(
            one.missing for one in found.trainers if one.curable
        ),
        "no response is paid for what the judge did not say": not any(one.wronged for one in found.trainers),
        "what cannot be judged in time has no reward": all(one.missing == one.samples for one in hasty),
    }
    finish("slow_judge", call, {"scale": scale, "found": found, "aims": aims}, claims)


if __name__ == "__main__":
    main()
