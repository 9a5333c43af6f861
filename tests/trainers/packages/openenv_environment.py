"""OpenEnv's own server steps environments of its own classes, one with ``step`` and one with ``step_async``.

Prints what its clients are told. With ``step_async`` eight sessions are stepped at once, and the most that were under
way at the service is counted: a rubric that holds the event loop would ask for one after the other.
"""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

import httpx2

from trueward.trainers.openenv import async_rubric, rubric

# By name: to whatever reads the types of this project, these packages are absent.
interfaces: Any = import_module("openenv.core.env_server.interfaces")
server: Any = import_module("openenv.core.env_server.http_server")
types: Any = import_module("openenv.core.env_server.types")

ANSWERS = {"1+1?": "2", "nobody knows": None}


class Said(types.Action):  # type: ignore[misc]
    message: str
    task: str = "1+1?"


class Seen(types.Observation):  # type: ignore[misc]
    task: str


def sample(action: Said, observation: Seen) -> dict[str, Any] | None:
    if not observation.done:
        return None
    return {"prompt": observation.task, "response": action.message, "reference": ANSWERS[observation.task]}


class Stepped(interfaces.Environment):  # type: ignore[misc]
    """One turn, or a step that is not judged where nothing is said."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None, **others: Any) -> Seen:
        return Seen(task="1+1?")

    def step(self, action: Said, timeout_s: float | None = None, **others: Any) -> Seen:
        seen = Seen(task=action.task, done=bool(action.message))
        seen.reward = self._apply_rubric(action, seen)
        return seen

    @property
    def state(self) -> Any:
        return types.State()


class Awaited(Stepped):
    async def step_async(self, action: Said, timeout_s: float | None = None, **others: Any) -> Seen:
        seen = Seen(task=action.task, done=bool(action.message))
        seen.reward = await self._apply_rubric_async(action, seen)
        return seen


async def answers(made: Any, kind: type[Stepped]) -> tuple[list[dict[str, Any]], int]:
    """What four steps at once are answered, and the most calls of ``made`` that were under way."""
    under_way, most = 0, 0
    forward = made.forward

    async def count(action: Said, observation: Seen) -> float | None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        try:
            found: float | None = await forward(action, observation)
            return found
        finally:
            under_way -= 1

    if kind is Awaited:
        object.__setattr__(made, "forward", count)
    app = server.create_fastapi_app(lambda: kind(rubric=made), Said, Seen)
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://openenv") as client:
        cases: tuple[dict[str, str], ...] = (
            {"message": "\\boxed{2}"},
            {"message": "\\boxed{3}"},
            {"message": "\\boxed{2}", "task": "nobody knows"},
            {"message": ""},
        )
        told = await asyncio.gather(*(client.post("/step", json={"action": case}, timeout=60.0) for case in cases))
    return [{"reward": one.json()["reward"], "done": one.json()["done"]} for one in told], most


async def main(url: str, directory: str) -> None:
    in_thread, _ = await answers(rubric(url, recipe="math", sample=sample, run="openenv"), Stepped)
    awaited, most = await answers(async_rubric(url, recipe="math", sample=sample, run="openenv-async"), Awaited)
    print(json.dumps({"step": in_thread, "step_async": awaited, "most_at_once": most}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
