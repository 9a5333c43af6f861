"""prime verifiers' own ``Task.score`` runs our function, plugged by its configuration. Prints the traces' rewards."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# By name: to whatever reads the types of this project, ``verifiers`` is a package of ours.
vf: Any = import_module("verifiers.v1")
graph: Any = import_module("verifiers.v1.graph")
trace_of: Any = import_module("verifiers.v1.trace")
types: Any = import_module("verifiers.v1.types")
TaskError: Any = import_module("verifiers.v1.errors").TaskError


class Sum(vf.TaskData):  # type: ignore[misc]
    answer: str | None


def trace_with(data: Any, reply: str) -> Any:
    """The trace of one turn."""
    return vf.Trace(
        task=trace_of.TraceTask(type="Task", data=data),
        agent=trace_of.AgentInfo.model_construct(config=None),
        nodes=[
            graph.MessageNode(message=types.UserMessage(content="1+1?")),
            graph.MessageNode(message=types.AssistantMessage(content=reply), parent=0, sampled=True),
        ],
    )


async def scored(file: Path, reply: str, gold: str | None) -> dict[str, object]:
    data = Sum(prompt="1+1?", answer=gold)
    task = vf.Task(data, vf.TaskConfig(rewards={"trueward": {"fn": f"{file}:score"}}))
    trace = trace_with(data, reply)
    try:
        await task.score(trace)
    except TaskError as error:
        return {"rewards": dict.fromkeys(trace.rewards), "error": str(error)}
    return {"rewards": {name: reward and reward.value for name, reward in trace.rewards.items()}, "total": trace.reward}


async def all_scored(file: Path) -> list[dict[str, object]]:
    cases = (("\\boxed{2}", "2"), ("\\boxed{3}", "2"), ("\\boxed{2}", None))
    return [await scored(file, reply, gold) for reply, gold in cases]


def main(url: str, directory: str) -> None:
    file = Path(directory) / "trueward_reward.py"
    file.write_text(
        f"from trueward.trainers.prime import reward\nscore = reward({url!r}, recipe='math', run='prime')\n"
    )
    print(json.dumps(asyncio.run(all_scored(file))))


if __name__ == "__main__":
    main(*sys.argv[1:])
