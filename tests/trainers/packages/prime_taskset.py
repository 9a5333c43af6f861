"""prime verifiers' own loaders find our taskset and our judge, and its ``Task.score`` runs them. Prints the traces."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# By name: to whatever reads the types of this project, ``verifiers`` is a package of ours.
vf: Any = import_module("verifiers.v1")
of_one_turn: Any = import_module("prime_task")  # the script beside this one
loaders: Any = import_module("verifiers.v1.utils.loaders")

SUMS = """
from trueward.trainers.prime_tasks import taskset

__all__ = ["Sums"]


def rows():
    for answer in ("2", "2", None):
        yield {{"prompt": "1+1?", "answer": answer}}


Sums = taskset({url!r}, recipe="math", rows=rows, run="prime-taskset")
"""
MATHS = """
from trueward.trainers.prime_tasks import judge

__all__ = ["Maths"]

Maths = judge({url!r}, recipe="math", run="prime-judge")
"""
REPLIES = ("\\boxed{2}", "\\boxed{3}", "\\boxed{2}")


async def scored(task: Any, reply: str) -> dict[str, Any]:
    trace = of_one_turn.trace_with(task.data, reply)
    error = ""
    try:
        await task.score(trace)
    except of_one_turn.TaskError as failure:
        error = str(failure)
    rewards = {name: reward and reward.score * reward.weight for name, reward in trace.rewards.items()}
    return {"rewards": rewards, "metrics": dict(trace.metrics), "error": error}


async def run() -> dict[str, Any]:
    loaded = loaders.load_taskset(loaders.taskset_config_type("sums")(id="sums"))
    tasks = list(loaded)
    judged = vf.TaskConfig(judges=[{"id": "maths", "weight": 0.5}])
    return {
        "indices": [task.data.idx for task in tasks],
        "taskset": [await scored(task, reply) for task, reply in zip(tasks, REPLIES, strict=True)],
        "judge": [await scored(vf.Task(task.data, judged), reply) for task, reply in zip(tasks, REPLIES, strict=True)],
    }


def main(url: str, directory: str) -> None:
    for name, code in (("sums", SUMS), ("maths", MATHS)):
        Path(directory, f"{name}.py").write_text(code.format(url=url))
    sys.path.insert(0, directory)
    print(json.dumps(asyncio.run(run())))


if __name__ == "__main__":
    main(*sys.argv[1:])
