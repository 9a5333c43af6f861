"""OpenAI's graders, validated and run as its Python client does: two more tries after 408, 409, 429 and 5xx."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task

GRADER = {
    "type": "string_check",
    "name": "final",
    "input": "{{ sample.output_text }}",
    "reference": "Final answer: {{ item.answer }}",
    "operation": "eq",
}


async def ask(line: Line, service: Service, task: Task) -> Heard:
    base = f"{service.url}/v1/fine_tuning/alpha/graders"
    assert (await line.post(f"{base}/validate", {"grader": GRADER}))["grader"]["name"] == "final"
    item = {} if task.reference is None else {"answer": task.reference}
    said = await line.post(f"{base}/run", {"grader": GRADER, "model_sample": task.response, "item": item})
    return Heard(said["reward"], said["metadata"]["errors"]["invalid_variable_error"])


MANNERS = Manners(
    600.0,
    tries=3,
    pause_s=lambda tried: 0.5 * 2 ** (tried - 1),
    again=lambda status: status in (408, 409, 429) or status >= 500,
    headers={"Authorization": "Bearer none"},
)
CLIENTS = (Client("openai graders", "text", MANNERS, ask),)
