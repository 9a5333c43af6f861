"""LLaMA-Factory's reward API: texts in the chat template, no reference, no time limit, one try, whatever the status."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task

RECIPE = "replay-llama-factory"
CONTENT = {
    "description": "For the replay of LLaMA-Factory: 1 for a final answer of 4, else 0; it needs no reference.",
    "range": [0, 1],
    "terms": {"regex": {"params": {"pattern": "4"}}},
}


async def ask(line: Line, service: Service, task: Task) -> Heard:
    """Where the task has no reference the recipe is one that needs it: nobody can score that."""
    recipe, run = (service.recipe, "unscored") if task.reference is None else (RECIPE, "llama")
    text = f"<|im_start|>user\n{task.prompt}<|im_end|>\n<|im_start|>assistant\n{task.response}<|im_end|>"
    url = f"{service.url}/t/{recipe}/llamafactory?run={service.run}-{run}"
    said = await line.post(url, {"model": "model", "messages": [text, text]})
    first, second = said["scores"]
    assert first == second
    return Heard(first)


CLIENTS = (Client("llama-factory", "text", Manners(None, keep_alive=False), ask),)
