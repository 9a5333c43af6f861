"""vLLM's scoring paths as verl calls them (16 tries, no time limit), and a plain client of the others."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task

MANNERS = Manners(None, tries=16, pause_s=lambda tried: min(2.0**tried, 30.0), again=lambda status: status >= 500)


async def classify(line: Line, service: Service, task: Task) -> Heard:
    body = {"model": service.reward_model, "input": f"{task.prompt} {task.response}", "use_activation": False}
    return Heard((await line.post(f"{service.url}/classify", body))["data"][-1]["probs"][-1])


async def pooling(line: Line, service: Service, task: Task) -> Heard:
    body = {"model": service.reward_model, "input": [f"{task.prompt} {task.response}"], "use_activation": False}
    return Heard((await line.post(f"{service.url}/pooling", body))["data"][-1]["data"][-1])


async def score(line: Line, service: Service, task: Task) -> Heard:
    body = {
        "model": service.reward_model,
        "text_1": task.prompt,
        "text_2": f" {task.response}",
        "use_activation": False,
    }
    return Heard((await line.post(f"{service.url}/score", body))["data"][0]["score"])


CLIENTS = (
    Client("vllm classify (verl)", "model", MANNERS, classify, model="reward_model"),
    Client("vllm pooling", "model", MANNERS, pooling, model="reward_model"),
    Client("vllm score", "model", MANNERS, score, model="reward_model"),
)
