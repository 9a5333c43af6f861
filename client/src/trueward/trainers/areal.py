"""Rewards of a Trueward service for AReaL: a workflow that awaits them, and a reward function for its process pool.

::

    Workflow = workflow("http://127.0.0.1:8421", recipe="math")              # in place of RLVRWorkflow
    reward_fn = reward_function("http://127.0.0.1:8421", recipe="math")     # for a workflow of your own

The workflow is AReaL's ``RLVRWorkflow`` and asks from its event loop, many at once. A response without a reward keeps
its place in its group, with the mean of the others (:mod:`.standing_in`), and its ``loss_mask`` is 0: it is not
learned.

AReaL runs a reward function in a process pool, whose queue it counts as the function's time, and takes 0 for a reward
where 15 seconds passed four times over. So take the workflow where many are under way at once. The function knows no
null and cannot wait for siblings without holding the pool up: a missing reward raises :class:`NotJudged`, and AReaL
leaves the whole group out. A service that is away for longer than ``deadline_s`` raises too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, Protocol, Unpack, cast

from pydantic import JsonValue

from trueward.errors import NotInstalled
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of

DEADLINE_S = 12.0
"""Of a call in the pool, which AReaL gives 15 s."""
WORKFLOW_DEADLINE_S = 600.0
"""Of a call of the workflow, which may take as long as it takes; where many are under way they wait for each other."""


class NotJudged(RuntimeError):
    """A response that could not be judged: it has no reward, and no number is one."""


class Workflow(Protocol):
    """The part of ``RLVRWorkflow`` that AReaL calls."""

    async def arun_episode(self, engine: Any, data: dict[str, Any]) -> dict[str, Any] | None: ...


def reward_function(
    url: str | None = None, *, recipe: Recipe, reference_column: str | None = "answer", **options: Unpack[Options]
) -> RewardFunction:
    """What AReaL's ``RLVRWorkflow`` takes as ``reward_fn``."""
    options.setdefault("deadline_s", DEADLINE_S)
    return RewardFunction(Connection(url, recipe, "areal", **options), reference_column)


class RewardFunction:
    """Can be pickled at every call: connections, and answers that AReaL asks for again, are kept by the process."""

    def __init__(self, connection: Connection, reference_column: str | None) -> None:
        self._connection = connection
        self._reference_column = reference_column

    def __call__(
        self, prompt: str, completions: str, prompt_ids: object, completion_ids: object, **columns: object
    ) -> float:
        """The reward. Raises :class:`NotJudged`, and :mod:`trueward.errors` where the service does not answer."""
        sample = _fields(prompt, completions, completion_ids, columns, self._reference_column)
        answers, asked = self._connection.live.answers, json.dumps(sample, default=str)
        reward = answers.get(asked)
        if reward is None:
            (reward,) = self._connection.rewards([sample])
            answers.put(asked, reward)
        if reward.reward is None:
            raise NotJudged(f"{reward.outcome.value}: {reward.reason_code}: {reward.reason} (record {reward.record})")
        return reward.reward


def workflow(
    url: str | None = None, *, recipe: Recipe, reference_column: str | None = "answer", **options: Unpack[Options]
) -> type[Workflow]:
    """A class that takes what ``RLVRWorkflow`` takes, without its ``reward_fn``. Needs the package ``areal``."""
    try:
        from areal.workflow.rlvr import RLVRWorkflow
    except ModuleNotFoundError as absent:
        raise NotInstalled("this workflow needs areal: pip install areal") from absent
    options.setdefault("deadline_s", WORKFLOW_DEADLINE_S)
    connection = Connection(url, recipe, "areal", **options)
    missing: ContextVar[list[bool]] = ContextVar("missing")

    async def awaited(
        prompt: str, completions: str, prompt_ids: object, completion_ids: object, **columns: object
    ) -> float:
        sample = _fields(prompt, completions, completion_ids, columns, reference_column)
        rewards = await connection.await_rewards([sample], apart=True)
        missing.get().append(rewards[0].reward is None)
        return connection.means.rewards(rewards, [prompt])[0]

    class TruewardWorkflow(RLVRWorkflow):  # type: ignore[misc]  # its package has no types
        def __init__(self, *of_areal: Any, **named: Any) -> None:
            super().__init__(_unused, *of_areal, **named)
            self.async_reward_fn = awaited

        async def arun_episode(self, engine: Any, data: dict[str, Any]) -> dict[str, Any] | None:
            told: list[bool] = []
            missing.set(told)
            episode = cast("dict[str, Any] | None", await super().arun_episode(engine, data))
            if episode is not None and any(told):
                episode["loss_mask"] = episode["loss_mask"] * 0
            return episode

    return cast(type[Workflow], TruewardWorkflow)


def _fields(
    prompt: str, response: str, tokens: object, columns: dict[str, object], reference_column: str | None
) -> Fields:
    reference = None if reference_column is None else cast(JsonValue, columns[reference_column])
    sample: Fields = {"prompt": prompt, "response": response, "reference": reference, **baselines_of(columns)}
    if isinstance(tokens, Sequence):
        sample["tokens"] = len(tokens)
    return sample


def _unused(*of_areal: object, **columns: object) -> float:
    """In the place of AReaL's own reward function, which is never called."""
    raise NotImplementedError
