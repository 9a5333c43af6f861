"""Rewards of a Trueward service for TRL's trainers (GRPO, RLOO and their kin), as one reward function.

::

    GRPOTrainer(..., reward_funcs=reward_function("http://127.0.0.1:8421", recipe="math"))

:func:`async_reward_function` does the same and awaits.

A reward that the recipe leaves missing is None: TRL keeps that completion out of its group's statistics
and gives it advantage 0, provided that this is the only reward function (with several, TRL sums the
others as if ours were 0). A service that does not answer within ``deadline_s`` raises and ends the run,
because no reward may be invented; until then the call waits and tries again, so a restart of the service
costs time only. Not here: groups that TRL spreads over several processes, of which each process asks for
its own part; no recipe that needs whole groups can be used like that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, Unpack, cast

from pydantic import JsonValue

from trueward.errors import FieldProblem, InvalidRequest
from trueward.trainers.connection import DEADLINE_S, Connection, Options, Recipe
from trueward.trainers.passed_on import BASELINES
from trueward.wire.reward import Reward
from trueward.wire.sample import Split

Text = str | Sequence[Mapping[str, JsonValue]]
"""A prompt or completion: text, or chat messages."""

PASSED_ON = ("data_source", "hint", "metadata", "pair", *BASELINES)
"""Columns that become the field of the same name of each sample, where the dataset has them."""

_TRAINERS_OWN = frozenset({"trainer_state", "log_extra", "log_metric", "environments"})


class LogExtra(Protocol):
    def __call__(self, column: str, values: Sequence[str | float | None]) -> None: ...


class LogMetric(Protocol):
    def __call__(self, name: str, value: float) -> None: ...


def reward_function(
    url: str | None = None,
    *,
    recipe: Recipe,
    reference_column: str | None = "reference",
    api_key: str | None = None,
    run: str | None = None,
    deadline_s: float = DEADLINE_S,
) -> RewardFunction:
    """What TRL's ``reward_funcs`` takes.

    ``url`` and ``api_key`` default to ``TRUEWARD_URL`` and ``TRUEWARD_API_KEY``. ``reference_column`` names
    the dataset's column of gold answers, None where the recipe needs none. ``run`` names the training run
    in the service's ledger (default: a new name; give one where several processes train together, or to go
    on with a run).
    """
    connection = Connection(url, recipe, "trl", api_key=api_key, run=run, deadline_s=deadline_s)
    return RewardFunction(connection, reference_column)


def async_reward_function(
    url: str | None = None, *, recipe: Recipe, reference_column: str | None = "reference", **options: Unpack[Options]
) -> AsyncRewardFunction:
    """:func:`reward_function` for trainers that await: TRL runs it beside its other functions that do."""
    return AsyncRewardFunction(Connection(url, recipe, "trl", **options), reference_column)


class _Columns:
    """What both forms are made of: picklable; connections belong to the process that calls."""

    def __init__(self, connection: Connection, reference_column: str | None) -> None:
        self.run = connection.run
        self.__name__ = connection.name
        self._connection = connection
        self._reference_column = reference_column

    def close(self) -> None:
        """Closes this process's connections; the next call opens new ones."""
        self._connection.close()

    def _samples(
        self,
        prompts: Sequence[Text],
        completions: Sequence[Text],
        completion_ids: Sequence[Sequence[int]] | None,
        columns: Mapping[str, object],
    ) -> list[dict[str, JsonValue]]:
        fields: dict[str, Sequence[object]] = {"prompt": prompts, "response": completions}
        if self._reference_column is not None:
            fields["reference"] = column(self._reference_column, columns)
        if completion_ids is not None:
            fields["tokens"] = [len(ids) for ids in completion_ids]
        fields |= {name: column(name, columns) for name in PASSED_ON if name in columns}
        rows = zip(*fields.values(), strict=True)
        return [cast("dict[str, JsonValue]", dict(zip(fields, row, strict=True))) for row in rows]


class RewardFunction(_Columns):
    def __call__(
        self,
        prompts: Sequence[Text],
        completions: Sequence[Text],
        completion_ids: Sequence[Sequence[int]] | None = None,
        **columns: object,
    ) -> list[float | None]:
        """One reward a completion, in order; None where it is missing. Raises :mod:`trueward.errors`."""
        samples = self._samples(prompts, completions, completion_ids, columns)
        return _logged(self._connection.rewards(samples, step=step_of(columns), split=_split(columns)), columns)


class AsyncRewardFunction(_Columns):
    async def __call__(
        self,
        prompts: Sequence[Text],
        completions: Sequence[Text],
        completion_ids: Sequence[Sequence[int]] | None = None,
        **columns: object,
    ) -> list[float | None]:
        """One reward a completion, in order; None where it is missing. Raises :mod:`trueward.errors`."""
        samples = self._samples(prompts, completions, completion_ids, columns)
        return _logged(
            await self._connection.await_rewards(samples, step=step_of(columns), split=_split(columns)), columns
        )

    async def aclose(self) -> None:
        """Closes the connections of the running event loop."""
        await self._connection.aclose()


def step_of(columns: Mapping[str, object]) -> int | None:
    """The trainer's step, where it hands over its state."""
    return getattr(columns.get("trainer_state"), "global_step", None)


def column(name: str, columns: Mapping[str, object]) -> Sequence[object]:
    values = columns.get(name)
    if isinstance(values, list | tuple):
        return values
    at_hand = ", ".join(sorted(set(columns) - _TRAINERS_OWN)) or "none but the prompt"
    raise InvalidRequest(
        f"the dataset has no column {name!r}; columns at hand: {at_hand}. "
        "Name the one with the gold answers: reward_function(..., reference_column=...)",
        errors=[FieldProblem(field=name, code="missing_column", detail=f"columns at hand: {at_hand}")],
    )


def _split(columns: Mapping[str, object]) -> Split:
    """TRL does not tell its reward functions of an evaluation, but its model does."""
    trainer = getattr(columns.get("log_metric"), "__self__", None)
    return "train" if getattr(getattr(trainer, "model", None), "training", True) else "eval"


def _logged(rewards: Sequence[Reward], columns: Mapping[str, object]) -> list[float | None]:
    """The rewards, after TRL was told of what it logs: metrics, and columns of the completions table."""
    log_metric, log_extra = columns.get("log_metric"), columns.get("log_extra")
    if callable(log_metric) and rewards:
        for name, value in _metrics(rewards):
            cast(LogMetric, log_metric)(name, value)
    if callable(log_extra):
        for column, values in _table(rewards):
            cast(LogExtra, log_extra)(column, values)
    return [reward.reward for reward in rewards]


def _metrics(rewards: Sequence[Reward]) -> Iterator[tuple[str, float]]:
    """The share of missing rewards, and the mean of each of the recipe's terms over the samples that have it."""
    yield "trueward/missing", sum(reward.reward is None for reward in rewards) / len(rewards)
    for term in rewards[0].components:
        there = [value for reward in rewards if (value := reward.components.get(term)) is not None]
        if there:
            yield f"trueward/components/{term}", sum(there) / len(there)


def _table(rewards: Sequence[Reward]) -> Iterator[tuple[str, Sequence[str | float | None]]]:
    yield "trueward_outcome", [reward.outcome.value for reward in rewards]
    for term in rewards[0].components if rewards else ():
        yield f"trueward_component_{term}", [reward.components.get(term) for reward in rewards]
