"""OpenRLHF's remote reward model: one sample a request, five tries a second apart, 180 s each, nothing refused."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task


async def ask(line: Line, service: Service, task: Task) -> Heard:
    prompt = f"<|im_start|>user\n{task.prompt}<|im_end|>\n<|im_start|>assistant\n"
    body = {"query": [f"{prompt}{task.response}<|im_end|>"], "prompts": [prompt], "labels": [task.reference]}
    said = await line.post(f"{service.url}/t/{service.recipe}/openrlhf?run={service.run}-openrlhf", body)
    assert all(isinstance(value, float) for values in said["extra_logs"].values() for value in values)
    assert 0 <= said["scores"][0] <= 1
    return Heard(said["rewards"][0], said["extra_logs"]["trueward_missing"] == [1.0])


CLIENTS = (Client("openrlhf", "answer", Manners(180.0, tries=5, again=lambda status: True), ask),)
