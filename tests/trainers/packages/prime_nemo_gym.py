"""prime verifiers' own client of NeMo Gym's servers has the service for one. Prints the rewards and metrics."""

from __future__ import annotations

import asyncio
import json
import sys
from importlib import import_module
from typing import Any

# By name: to whatever reads the types of this project, ``verifiers`` is a package of ours.
gym: Any = import_module("verifiers.v1.tasksets.nemo_gym.taskset")
state_of: Any = import_module("verifiers.v1.tasksets.nemo_gym.toolset")
vf: Any = import_module("verifiers.v1")
graph: Any = import_module("verifiers.v1.graph")
trace_of: Any = import_module("verifiers.v1.trace")
types: Any = import_module("verifiers.v1.types")


async def scored(url: str, reply: str, gold: str | None) -> dict[str, object]:
    row = {"responses_create_params": {"input": [{"role": "user", "content": "1+1?"}]}, "expected_answer": gold}
    data = gym.NeMoGymData(name="sums", prompt="1+1?", row=row)
    task = gym.NeMoGymTask(data, gym.NeMoGymTaskConfig(resources_url=f"{url}/k/none/t/math/nemo-gym"))
    trace = vf.Trace(
        task=trace_of.TraceTask(type="NeMoGymTask", data=data),
        agent=trace_of.AgentInfo.model_construct(config=None),
        state=state_of.NeMoGymState(),
        nodes=[
            graph.MessageNode(message=types.UserMessage(content="1+1?")),
            graph.MessageNode(message=types.AssistantMessage(content=reply), parent=0, sampled=True),
        ],
    )
    await task.setup(trace, None)
    reward = await task.nemo_gym(trace)
    return {"reward": reward, "outcome": trace.info["nemo_gym"]["outcome"]}


async def main(url: str, directory: str) -> None:
    cases = (("\\boxed{2}", "2"), ("\\boxed{3}", "2"), ("\\boxed{2}", None))
    print(json.dumps([await scored(url, reply, gold) for reply, gold in cases]))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
