"""Rewards of a Trueward service for OpenRLHF, as ``reward_func`` of a Python file (``--reward.remote_url FILE.py``).

::

    reward_func = reward_function("http://127.0.0.1:8421", recipe="math")   # the whole file

OpenRLHF calls it in threads, with one sample a call, and takes numbers only. A missing reward is the mean of its
prompt's others (:mod:`.standing_in`), for which the call waits, with ``extra_logs["trueward_missing"]`` 1. ``scores``,
by which OpenRLHF filters, lie in 0..1 and come from the outcome, never from the shaped reward. Where torch is installed
lists become tensors, which OpenRLHF's batching wants. The protocol over HTTP needs no file and answers the same.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Unpack, cast

from pydantic import JsonValue

from trueward.trainers.chat_text import split_response, think_prefix
from trueward.trainers.connection import THREADS, Connection, Fields, Options, Recipe
from trueward.wire.verdict import Outcome

Series = Sequence[float]
"""Numbers, one a sample: a tensor where torch is installed."""


def reward_function(url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]) -> RewardFunction:
    """What OpenRLHF takes from its file under the name ``reward_func``."""
    return RewardFunction(Connection(url, recipe, "openrlhf", at_once=THREADS, **options))


class RewardFunction:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __call__(
        self, queries: Sequence[str], prompts: Sequence[str], labels: Sequence[JsonValue]
    ) -> dict[str, Series | dict[str, Series]]:
        """``rewards``, ``scores`` and ``extra_logs`` under constant keys."""
        samples = [_fields(*row) for row in zip(queries, prompts, labels, strict=True)]
        rewards = self._connection.rewards(samples, apart=True)
        numbers = self._connection.means.rewards(rewards, prompts)
        return {
            "rewards": _series(numbers),
            "scores": _series([reward.in_unit(number) for reward, number in zip(rewards, numbers, strict=True)]),
            "extra_logs": {
                "trueward_correct": _series([float(reward.outcome is Outcome.CORRECT) for reward in rewards]),
                "trueward_invalid": _series([float(reward.outcome is Outcome.INVALID) for reward in rewards]),
                "trueward_missing": _series([float(reward.reward is None) for reward in rewards]),
            },
        }


def _fields(query: str, prompt: str, label: JsonValue) -> Fields:
    fields: Fields = {"prompt": prompt, "response": split_response(query, prompt), "reference": label}
    prefix = think_prefix(prompt)
    return fields if prefix is None else {**fields, "prefix": prefix}


def _series(values: list[float]) -> Series:
    if importlib.util.find_spec("torch") is None:
        return values
    return cast(Series, importlib.import_module("torch").tensor(values))
