"""Rewards of a Trueward service for NeMo RL, as an environment: one request for each batch that it hands over.

::

    Environment = environment("http://127.0.0.1:8421", recipe="math")           # trueward_env.py, on the path
    register("trueward", "trueward_env.Environment")                            # in the script that starts the run

The response is the last message, which is the assistant's, the prompt what is before it, and the reference the field
``reference_key`` of the sample's metadata. Every episode ends with its first step.

Such an environment has numbers only, and no mask. A missing reward is the mean of its prompt's samples in the batch
(:mod:`.standing_in`); how many there were is a metric, ``trueward/missing``. Rollouts of the asynchronous engine come
one by one, and each holds up the others: there the samples of a prompt that are missing get one number, without
waiting for their siblings. NeMo Gym has a mask (:mod:`.nemo_gym`). A service that is away for longer than
``deadline_s``, or that refuses, raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.chat_text import think_prefix
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of

Message = Mapping[str, Any]


def environment(
    url: str | None = None, *, recipe: Recipe, reference_key: str | None = "ground_truth", **options: Unpack[Options]
) -> Any:
    """A Ray actor's class, of NeMo RL's ``EnvironmentInterface``. Its ``step`` raises ValueError for a sample that does
    not end with a message of the assistant's."""
    import ray
    import torch
    from nemo_rl.environments.interfaces import EnvironmentInterface, EnvironmentReturn

    connection = Connection(url, recipe, "nemo-rl", at_once=1, **options)

    class TruewardEnvironment(EnvironmentInterface):  # type: ignore[misc]  # NeMo RL has no types here
        def __init__(self, cfg: object = None) -> None:
            self._missing = 0

        async def step(self, message_log_batch: Sequence[Sequence[Message]], metadata: Sequence[Any]) -> Any:
            samples = [_sample(log, row, reference_key) for log, row in zip(message_log_batch, metadata, strict=True)]
            rewards = await connection.await_rewards(samples, apart=len(samples) == 1)
            self._missing += sum(one.reward is None for one in rewards)
            prompts = [json.dumps(sample["prompt"]) for sample in samples]
            return EnvironmentReturn(
                observations=[{"role": "environment", "content": ""} for _ in rewards],
                metadata=list(metadata),
                next_stop_strings=[None] * len(rewards),
                rewards=torch.tensor(connection.means.rewards(rewards, prompts), dtype=torch.float32),
                terminateds=torch.ones(len(rewards), dtype=torch.bool),
            )

        def shutdown(self) -> None:
            """There is nothing to stop: a connection ends with its actor."""

        def global_post_process_and_metrics(self, batch: Any) -> tuple[Any, dict[str, float]]:
            """The batch as it is, and how many rewards were missing since it was asked last."""
            missing, self._missing = self._missing, 0
            return batch, {"trueward/missing": missing}

    return ray.remote(TruewardEnvironment)


def register(name: str, path: str) -> None:
    """Makes NeMo RL know the class at ``path`` (module and name) as the environment ``name``, in its own Python."""
    from nemo_rl.distributed.ray_actor_environment_registry import ACTOR_ENVIRONMENT_REGISTRY
    from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
    from nemo_rl.environments.utils import register_env

    ACTOR_ENVIRONMENT_REGISTRY[path] = PY_EXECUTABLES.SYSTEM
    register_env(name, path)


def _sample(log: Sequence[Message], row: Any, reference_key: str | None) -> Fields:
    if not log or log[-1]["role"] != "assistant":
        raise ValueError("the sample's messages do not end with one of the assistant's")
    prompt: list[JsonValue] = [{"role": one["role"], "content": one["content"]} for one in log[:-1]]
    sample: Fields = {"prompt": prompt, "response": log[-1]["content"], **baselines_of(row)}
    if reference_key is not None:
        sample["reference"] = cast(JsonValue, row[reference_key])
    opened = think_prefix(str(log[-2]["content"])) if len(log) > 1 else None
    return sample if opened is None else {**sample, "prefix": opened}
