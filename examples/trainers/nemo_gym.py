"""NeMo Gym's resources server, as Gym and as prime verifiers ask it: the rollout has to come back with its reward."""

from __future__ import annotations

from trainers.manners import Json, Line, Manners
from trainers.protocol import Client, Heard, Service, Task


async def _verified(line: Line, service: Service, task: Task, run: str) -> Json:
    base = f"{service.url}/t/{service.recipe}/nemo-gym"
    said = {"type": "output_text", "text": task.response, "annotations": []}
    output = [{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": [said]}]
    row = {
        "responses_create_params": {"input": [{"role": "user", "content": task.prompt}]},
        "expected_answer": task.reference,
    }
    response = {"id": "resp_1", "created_at": 0, "model": "m", "object": "response", "output": output}
    await line.post(f"{base}/seed_session", row)
    answer = await line.post(f"{base}/verify?run={service.run}-{run}", {**row, "response": response})
    assert answer["responses_create_params"] == row["responses_create_params"]
    assert abs(sum(answer["reward_components"].values()) - answer["reward"]) < 1e-5 * max(1.0, abs(answer["reward"]))
    return answer


async def ask(line: Line, service: Service, task: Task) -> Heard:
    """Gym's own: it tries for ever what lost its connection, and keeps failures apart."""
    answer = await _verified(line, service, task, "gym")
    return Heard(answer["reward"], "_ng_failure_class" in answer)


async def ask_as_prime(line: Line, service: Service, task: Task) -> Heard:
    """A minute, one try; it looks at the reward alone."""
    answer = await _verified(line, service, task, "prime")
    del answer["responses_create_params"], answer["response"]
    return Heard(float(answer.pop("reward")))


CLIENTS = (
    Client("nemo-gym", "answer", Manners(None, tries=1000, pause_s=lambda tried: 0.5), ask),
    Client("prime verifiers", "answer", Manners(60.0, keep_alive=False), ask_as_prime),
)
