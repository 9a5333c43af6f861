"""eval-protocol's remote reward function: no time limit, one try, and without a reference the earlier messages."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task


async def ask(line: Line, service: Service, task: Task) -> Heard:
    """Its client keeps ``score``, ``reason`` and ``metrics``, and forgets whether they are valid."""
    messages = [{"role": "user", "content": task.prompt}, {"role": "assistant", "content": task.response}]
    truth = messages[:-1] if task.reference is None else task.reference
    url = f"{service.url}/t/{service.recipe}/eval-protocol/evaluate?run={service.run}-eval"
    said = await line.post(url, {"messages": messages, "ground_truth": truth})
    return Heard(said["score"], not all(metric["success"] for metric in said["metrics"].values()))


CLIENTS = (Client("eval-protocol", "answer", Manners(None, headers={"Authorization": ""}, keep_alive=False), ask),)
