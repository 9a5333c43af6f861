"""text-embeddings-inference's paths: the body names no model, so the service has to have one reward model alone."""

from __future__ import annotations

from trainers.manners import Line, Manners
from trainers.protocol import Client, Heard, Service, Task

MANNERS = Manners(60.0, tries=3, again=lambda status: status == 429)


async def predict(line: Line, service: Service, task: Task) -> Heard:
    said = await line.post(
        f"{service.url}/predict", {"inputs": [[f"{task.prompt} {task.response}"]], "raw_scores": True}
    )
    return Heard(said[0][0]["score"])


async def rerank(line: Line, service: Service, task: Task) -> Heard:
    """One text is empty where the response is, and its score is the query's with nothing."""
    texts = [f" {task.response}", " other"]
    said = await line.post(f"{service.url}/rerank", {"query": task.prompt, "texts": texts, "raw_scores": True})
    return Heard(next(one["score"] for one in said if one["index"] == 0))


CLIENTS = (
    Client("tei predict", "model", MANNERS, predict, model="reward_model"),
    Client("tei rerank", "model", MANNERS, rerank, model="reward_model"),
)
