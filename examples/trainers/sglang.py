"""SGLang's scoring paths: ``/v1/embeddings`` as verl reads it, and the native ``/classify``."""

from __future__ import annotations

from trainers.manners import Line
from trainers.protocol import Client, Heard, Service, Task
from trainers.vllm import MANNERS


async def embeddings(line: Line, service: Service, task: Task) -> Heard:
    body = {"model": service.reward_model, "input": f"{task.prompt} {task.response}"}
    return Heard((await line.post(f"{service.url}/v1/embeddings", body))["data"][-1]["embedding"][-1])


async def classify(line: Line, service: Service, task: Task) -> Heard:
    body = {"model": service.reward_model, "text": [f"{task.prompt} {task.response}"]}
    return Heard((await line.post(f"{service.url}/classify", body))[0]["embedding"][0])


CLIENTS = (
    Client("sglang embeddings (verl)", "model", MANNERS, embeddings, model="reward_model"),
    Client("sglang classify", "model", MANNERS, classify, model="reward_model"),
)
