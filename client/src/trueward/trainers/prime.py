"""Rewards of a Trueward service for prime's verifiers, as a reward function that a task's configuration plugs in.

::

    score = reward("http://127.0.0.1:8421", recipe="math")            # my_rewards.py
    uv run eval ... --env.taskset.task.rewards.trueward.fn my_rewards:score

The response is the trace's last reply, the prompt that of the task, and ``reference`` names the field of the task's
data with the gold answer. The trace gets metrics: ``trueward_missing``, the outcome and each term. A missing reward
raises :class:`~trueward.errors.RewardMissing`: prime then records the rollout as failed, keeps it out of learning, and
may try it again; no number is made up. A taskset and a judge that do the same are in :mod:`.prime_tasks`.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Protocol, Unpack, cast

from pydantic import JsonValue

from trueward.errors import RewardMissing
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import BASELINES, baselines_of
from trueward.trainers.standing_in import flat


class Task(Protocol):
    """The part of prime's ``TaskData`` that is read beside the reference."""

    @property
    def prompt_text(self) -> str: ...


class Trace(Protocol):
    """The part of prime's ``Trace`` that is used."""

    @property
    def last_reply(self) -> str: ...

    def record_metrics(self, values: Mapping[str, float]) -> None: ...


Scored = Callable[[Task, Trace], Coroutine[None, None, float]]


def reward(
    url: str | None = None, *, recipe: Recipe, reference: str | None = "answer", **options: Unpack[Options]
) -> Scored:
    """An ``async def`` of a task's data and a trace, which prime calls by these names."""
    connection = Connection(url, recipe, "prime", **options)

    async def trueward(task: Task, trace: Trace) -> float:
        gold = None if reference is None else cast(JsonValue, getattr(task, reference))
        others = baselines_of({name: getattr(task, name, None) for name in BASELINES})
        sample: Fields = {"prompt": task.prompt_text, "response": trace.last_reply, "reference": gold, **others}
        [found] = await connection.await_rewards([sample])
        trace.record_metrics({name: value for name, value in flat(found).items() if value is not None})
        if found.reward is None:
            raise RewardMissing(f"{found.outcome.value}: {found.reason_code}: {found.reason}")
        return found.reward

    return trueward
