"""Rewards of a Trueward service for ms-swift's GRPO, as an outcome reward model (``--external_plugins FILE.py``).

::

    from swift.rewards import orms
    orms["trueward"] = orm("http://127.0.0.1:8421", recipe="math")        # and: --reward_funcs trueward

:func:`async_orm` does the same and awaits. ms-swift turns None into NaN and then sums over the functions as if it were
0, so a missing reward is the mean of its group (:mod:`.standing_in`), which gives it advantage 0.
The share of missing ones is not logged by ms-swift; the service counts them by run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import BASELINES, ENDS, logprobs_of
from trueward.trainers.trl import column, step_of
from trueward.wire.reward import Reward


def orm(
    url: str | None = None, *, recipe: Recipe, reference_column: str | None = "solution", **options: Unpack[Options]
) -> Callable[..., ORM]:
    """A class to register among ``swift.rewards.orms``."""
    connection = Connection(url, recipe, "ms-swift", **options)

    class Trueward(ORM):
        def __init__(self, args: object = None, **of_swift: object) -> None:
            super().__init__(connection, reference_column)

    return Trueward


def async_orm(
    url: str | None = None, *, recipe: Recipe, reference_column: str | None = "solution", **options: Unpack[Options]
) -> Callable[..., AsyncORM]:
    """:func:`orm` for ms-swift's ``asyncio.run``: each call opens its connections and closes them."""
    connection = Connection(url, recipe, "ms-swift", **options)

    class Trueward(AsyncORM):
        def __init__(self, args: object = None, **of_swift: object) -> None:
            super().__init__(connection, reference_column)

    return Trueward


class _Completions:
    def __init__(self, connection: Connection, reference_column: str | None) -> None:
        self._connection = connection
        self._reference_column = reference_column

    def _samples(self, completions: Sequence[str], columns: Mapping[str, object]) -> list[Fields]:
        fields: dict[str, Sequence[object]] = {"response": completions}
        if "messages" in columns:
            fields["prompt"] = [_prompt(messages) for messages in column("messages", columns)]
        if self._reference_column is not None:
            fields["reference"] = column(self._reference_column, columns)
        fields |= {name: column(name, columns) for name in BASELINES if name in columns}
        rows = zip(*fields.values(), strict=True)
        samples = [cast(Fields, dict(zip(fields, row, strict=True))) for row in rows]
        told = _generation_fields(columns, len(samples), logprobs=self._connection.sends_logprobs)
        return [{**sample, **more} for sample, more in zip(samples, told, strict=True)]

    def _numbers(self, samples: Sequence[Fields], rewards: Sequence[Reward]) -> list[float]:
        return self._connection.means.rewards(rewards, [str(sample.get("prompt")) for sample in samples])


class ORM(_Completions):
    def __call__(self, completions: Sequence[str], **columns: object) -> list[float]:
        samples = self._samples(completions, columns)
        return self._numbers(samples, self._connection.rewards(samples, step=step_of(columns)))


class AsyncORM(_Completions):
    async def __call__(self, completions: Sequence[str], **columns: object) -> list[float]:
        samples = self._samples(completions, columns)
        try:
            rewards = await self._connection.await_rewards(samples, step=step_of(columns))
        finally:
            await self._connection.aclose()
        return self._numbers(samples, rewards)


def _prompt(messages: object) -> list[JsonValue]:
    """The messages before the completion, with their texts alone."""
    before = list(cast(Sequence[Mapping[str, JsonValue]], messages))
    if before and before[-1].get("role") == "assistant":
        before.pop()
    return [{"role": message["role"], "content": message.get("content")} for message in before]


def _generation_fields(columns: Mapping[str, object], count: int, *, logprobs: bool) -> list[Fields]:
    """What ms-swift tells of each generation: its tokens, their log-probabilities, and how it ended."""
    found: list[Fields] = [{} for _ in range(count)]
    ends, ids, said = (columns.get(name) for name in ("finish_reason", "response_token_ids", "rollout_logprobs"))
    for place, fields in enumerate(found):
        if isinstance(ends, Sequence) and len(ends) == count and ends[place] in ENDS:
            fields["finish_reason"] = ENDS[ends[place]]
        if isinstance(ids, Sequence) and len(ids) == count:
            tokens = _flat(ids[place])
            fields["tokens"] = len(tokens)
            if logprobs and isinstance(said, Sequence) and len(said) == count:
                fields |= logprobs_of([int(one) for one in tokens], _flat(said[place]))
    return found


def _flat(values: object) -> list[float]:
    """Numbers, or those of each turn one after the other."""
    turns = list(cast(Sequence[float | Sequence[float]], values or ()))
    return [one for turn in turns for one in (turn if isinstance(turn, Sequence) else [turn])]
