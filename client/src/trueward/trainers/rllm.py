"""Rewards of a Trueward service for rLLM, as an evaluator, which its command line knows by the name ``trueward``.

::

    rllm eval gsm8k --evaluator trueward                                # TRUEWARD_URL, TRUEWARD_RECIPE, TRUEWARD_RUN
    evaluator = TruewardEvaluator("http://127.0.0.1:8421", recipe="math")       # for a trainer in Python

The response is the episode's answer as rLLM's own rewards find it, the prompt the task's instruction, the reference its
``reference_key``. Signals are ``acc``, ``trueward_missing``, the outcome and each term.

A missing reward is an ``error`` where rLLM's ``EvalOutput`` has that field: such an episode is no wrong one, and is
left out of training. Releases without it take a number only: the mean of its prompt's others (:mod:`.standing_in`),
for which it waits. A service that is away for longer than ``deadline_s``, or that refuses, raises; rLLM tries such a
rollout again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of
from trueward.trainers.standing_in import flat
from trueward.wire.sample import Split
from trueward.wire.verdict import Outcome

RECIPE_VARIABLE, RUN_VARIABLE = "TRUEWARD_RECIPE", "TRUEWARD_RUN"
_AT_ONCE = 32
"""Evaluators run in threads, as many as the run has tasks at once; so many calls may wait for each other."""


class TruewardEvaluator:
    """What rLLM calls for each episode, in threads. Without a recipe or a run it takes those of the environment's
    variables; it raises ValueError where neither names a recipe."""

    def __init__(
        self,
        url: str | None = None,
        *,
        recipe: Recipe | None = None,
        reference_key: str | None = "ground_truth",
        split: Split = "train",
        **options: Unpack[Options],
    ) -> None:
        recipe = recipe or os.environ.get(RECIPE_VARIABLE)
        if not recipe:
            raise ValueError(f"name a recipe: TruewardEvaluator(recipe=...), or {RECIPE_VARIABLE}")
        options.setdefault("run", os.environ.get(RUN_VARIABLE))
        self._connection = Connection(url, recipe, "rllm", at_once=_AT_ONCE, **options)
        self._reference_key = reference_key
        self._split = split

    def evaluate(self, task: Any, episode: Any) -> Any:
        """The ``EvalOutput`` of an episode; ``task`` is rLLM's, or the row of the data set."""
        from rllm.eval.types import EvalOutput, Signal

        sample = self._sample(task, episode)
        rewards = self._connection.rewards([sample], split=self._split, apart=True)
        (number,) = self._connection.means.rewards(rewards, [json.dumps(sample["prompt"])])
        (reward,) = rewards
        output = EvalOutput(
            reward=number,
            is_correct=reward.outcome is Outcome.CORRECT,
            signals=[Signal(name, value) for name, value in flat(reward).items() if value is not None],
        )
        if reward.reward is None and any(field.name == "error" for field in fields(EvalOutput)):
            output.error = f"{reward.outcome.value}: {reward.reason_code}: {reward.reason}"
        return output

    def _sample(self, task: Any, episode: Any) -> Fields:
        row = task if isinstance(task, Mapping) else task.metadata
        asked = row.get("question", row.get("instruction")) if row is task else task.instruction
        sample: Fields = {"prompt": asked, "response": answer_of(episode), **baselines_of(row)}
        if self._reference_key is not None:
            sample["reference"] = cast(JsonValue, row.get(self._reference_key))
        if isinstance(row.get("data_source"), str):
            sample["data_source"] = row["data_source"]
        return sample


def answer_of(episode: Any) -> str:
    """The agent's answer: the artifact of that name, else the last trajectory's output, else its last reply."""
    artifacts = getattr(episode, "artifacts", None) or {}
    if "answer" in artifacts:
        return str(artifacts["answer"])
    if not episode.trajectories:
        return ""
    last = episode.trajectories[-1]
    outputs = [last.output, *(step.output for step in last.steps[-1:])]
    replies = [getattr(step, "model_response", None) for step in reversed(last.steps)]
    return str(next((said for said in (*outputs, *replies) if said), ""))
