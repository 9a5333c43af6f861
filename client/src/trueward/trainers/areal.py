"""Rewards of a Trueward service for AReaL, as the reward function of its workflows.

::

    reward_fn = reward_function("http://127.0.0.1:8421", recipe="math")

AReaL runs it in a process pool (it can be pickled) and gives reward 0 where a call takes longer than 15 seconds four
times over. So one call takes 12 seconds at most and then raises, which AReaL tries again and in the end raises too: a
failure of ours is never a 0. A missing reward is the mean so far (:mod:`.standing_in`), by worker process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of
from trueward.trainers.standing_in import Means

DEADLINE_S = 12.0


def reward_function(
    url: str | None, *, recipe: Recipe, reference_column: str | None = "answer", **options: Unpack[Options]
) -> RewardFunction:
    """What AReaL's ``RLVRWorkflow`` takes as ``reward_fn``."""
    options.setdefault("deadline_s", DEADLINE_S)
    return RewardFunction(Connection(url, recipe, "areal", **options), reference_column)


class RewardFunction:
    def __init__(self, connection: Connection, reference_column: str | None) -> None:
        self._connection = connection
        self._reference_column = reference_column
        self._means = Means()

    def __call__(
        self, prompt: str, completions: str, prompt_ids: object, completion_ids: object, **columns: object
    ) -> float:
        reference = None if self._reference_column is None else cast(JsonValue, columns[self._reference_column])
        sample: Fields = {"prompt": prompt, "response": completions, "reference": reference, **baselines_of(columns)}
        if isinstance(completion_ids, Sequence):
            sample["tokens"] = len(completion_ids)
        rewards = self._connection.rewards([sample])
        return self._means.rewards(rewards, [prompt])[0]
