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
from trueward.trainers.trl import column, step_of
from trueward.types import Reward


def orm(
    url: str | None, *, recipe: Recipe, reference_column: str | None = "solution", **options: Unpack[Options]
) -> Callable[..., ORM]:
    """A class to register among ``swift.rewards.orms``."""
    connection = Connection(url, recipe, "ms-swift", **options)

    class Trueward(ORM):
        def __init__(self, args: object = None, **of_swift: object) -> None:
            super().__init__(connection, reference_column)

    return Trueward


def async_orm(
    url: str | None, *, recipe: Recipe, reference_column: str | None = "solution", **options: Unpack[Options]
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
        rows = zip(*fields.values(), strict=True)
        return [cast(Fields, dict(zip(fields, row, strict=True))) for row in rows]

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
            rewards = await self._connection.awaited(samples, step=step_of(columns))
        finally:
            await self._connection.aclose()
        return self._numbers(samples, rewards)


def _prompt(messages: object) -> list[JsonValue]:
    """The messages before the completion, with their texts alone."""
    before = list(cast(Sequence[Mapping[str, JsonValue]], messages))
    if before and before[-1].get("role") == "assistant":
        before.pop()
    return [{"role": message["role"], "content": message.get("content")} for message in before]
