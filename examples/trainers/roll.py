"""ROLL's remote reward system: submits a sample, then asks for it by GET, with a body, until ``errcode`` is 0."""

from __future__ import annotations

import asyncio
import hashlib

from trainers.manners import GaveUp, Line, Manners
from trainers.protocol import Client, Heard, Service, Task

POLL_S = 2.0
LIMIT_S = 300.0


async def ask(line: Line, service: Service, task: Task, poll_s: float = 0.1) -> Heard:
    """Its own client polls every ``POLL_S`` seconds; so would one sample here take two."""
    base = f"{service.url}/t/{service.recipe}/roll"
    named = hashlib.sha256(repr(task).encode()).hexdigest()[:16]
    submitted = await line.post(
        f"{base}/submit",
        {
            "priority": 0,
            "project_id": "replay",
            "experiment_id": f"{service.run}-roll",
            "global_step": 1,
            "data_id": named,
            "rollout_id": service.run,
            "prompt": task.prompt,
            "response": task.response,
            "reward_info": {} if task.reference is None else {"ground_truth": task.reference},
            "reward_manager": [{"plugin_name": "math"}],
            "timeout": LIMIT_S,
        },
    )
    assert submitted["errcode"] == 0, submitted
    for _ in range(int(LIMIT_S / poll_s)):
        said = await line.send(
            "GET", f"{base}/result?run={service.run}-roll", {"reward_request_id": submitted["reward_request_id"]}
        )
        if said["errcode"] == 0:
            parts = said["dimention_reward_score"]
            told = [info["time_cost"] for part in parts.values() for info in part["debug_info"].values()]
            assert min(told) >= 0
            return Heard(said["reward_score"], parts["trueward"]["debug_info"]["trueward"]["missing"])
        await asyncio.sleep(poll_s)
    raise GaveUp(f"errcode is {said['errcode']} after {LIMIT_S} s")


MANNERS = Manners(
    20.0,
    tries=int(LIMIT_S / POLL_S),
    pause_s=lambda tried: POLL_S,
    again=lambda status: True,
    headers={"XRL-Authorization": "Bearer none", "BusinessType": "online"},
)
CLIENTS = (Client("roll", "answer", MANNERS, ask),)
