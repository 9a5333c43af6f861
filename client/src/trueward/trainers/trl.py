"""Rewards of a Trueward service for TRL's trainers (GRPO, RLOO and their kin), as one reward function.

::

    GRPOTrainer(..., reward_funcs=reward_function("http://127.0.0.1:8421", recipe="math"))

A reward that the recipe leaves missing is None: TRL keeps that completion out of its group's statistics
and gives it advantage 0, provided that this is the only reward function (with several, TRL sums the
others as if ours were 0). A service that does not answer within ``deadline_s`` raises and ends the run,
because no reward may be invented; until then the call waits and tries again, so a restart of the service
costs time only. Not here: groups that TRL spreads over several processes, of which each process asks for
its own part; no recipe that needs whole groups can be used like that.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from pydantic import JsonValue

from trueward.errors import FieldProblem, InvalidRequest
from trueward.types import Reward, Split

if TYPE_CHECKING:
    from trueward.client import Client

Text = str | Sequence[Mapping[str, JsonValue]]
"""A prompt or completion: text, or chat messages."""

DEADLINE_S = 120.0
PASSED_ON = ("data_source", "hint", "metadata", "pair")
"""Columns that become the field of the same name of each sample, where the dataset has them."""

_TRAINERS_OWN = frozenset({"trainer_state", "log_extra", "log_metric", "environments"})


class LogExtra(Protocol):
    def __call__(self, column: str, values: list[str]) -> None: ...


class LogMetric(Protocol):
    def __call__(self, name: str, value: float) -> None: ...


def reward_function(
    url: str | None,
    *,
    recipe: str | Mapping[str, JsonValue],
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
    return RewardFunction(url, recipe, reference_column, api_key, run or f"trl-{uuid.uuid4().hex[:12]}", deadline_s)


class RewardFunction:
    """Callable and picklable; the connection belongs to the process that calls it."""

    def __init__(
        self,
        url: str | None,
        recipe: str | Mapping[str, JsonValue],
        reference_column: str | None,
        api_key: str | None,
        run: str,
        deadline_s: float,
    ) -> None:
        self.run = run
        self._url = url
        self._recipe = recipe
        self._reference_column = reference_column
        self._api_key = api_key
        self._deadline_s = deadline_s
        self._connected: tuple[int, Client] | None = None
        name = recipe if isinstance(recipe, str) else recipe.get("name", "inline")
        self.__name__ = f"trueward_{name}"

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_connected": None}

    def close(self) -> None:
        """Closes this process's connections; the next call opens new ones."""
        if self._connected is not None and self._connected[0] == os.getpid():
            self._connected[1].close()
        self._connected = None

    def __call__(
        self,
        prompts: Sequence[Text],
        completions: Sequence[Text],
        completion_ids: Sequence[Sequence[int]] | None = None,
        **columns: object,
    ) -> list[float | None]:
        """One reward a completion, in order; None where it is missing. Raises :mod:`trueward.errors`."""
        samples = self._samples(prompts, completions, completion_ids, columns)
        answer = self._client().reward(
            samples,
            recipe=self._recipe,
            deadline_s=self._deadline_s,
            run=self.run,
            step=getattr(columns.get("trainer_state"), "global_step", None),
            split=_split(columns.get("log_metric")),
        )
        _log(answer.rewards, columns)
        return [reward.reward for reward in answer.rewards]

    def _samples(
        self,
        prompts: Sequence[Text],
        completions: Sequence[Text],
        completion_ids: Sequence[Sequence[int]] | None,
        columns: Mapping[str, object],
    ) -> list[dict[str, JsonValue]]:
        fields: dict[str, Sequence[object]] = {"prompt": prompts, "response": completions}
        if self._reference_column is not None:
            fields["reference"] = _column(self._reference_column, columns)
        if completion_ids is not None:
            fields["tokens"] = [len(ids) for ids in completion_ids]
        fields |= {name: _column(name, columns) for name in PASSED_ON if name in columns}
        rows = zip(*fields.values(), strict=True)
        return [cast("dict[str, JsonValue]", dict(zip(fields, row, strict=True))) for row in rows]

    def _client(self) -> Client:
        """This process's client: a connection does not survive a fork or a pickle."""
        from trueward.client import Client

        if self._connected is None or self._connected[0] != os.getpid():
            self._connected = os.getpid(), Client(self._url, api_key=self._api_key)
        return self._connected[1]


def _column(name: str, columns: Mapping[str, object]) -> Sequence[object]:
    values = columns.get(name)
    if isinstance(values, list | tuple):
        return values
    at_hand = ", ".join(sorted(set(columns) - _TRAINERS_OWN)) or "none but the prompt"
    raise InvalidRequest(
        f"the dataset has no column {name!r}; columns at hand: {at_hand}. "
        "Name the one with the gold answers: reward_function(..., reference_column=...)",
        errors=[FieldProblem(field=name, code="missing_column", detail=f"columns at hand: {at_hand}")],
    )


def _split(log_metric: object) -> Split:
    """TRL does not tell its reward functions of an evaluation, but its model does."""
    trainer = getattr(log_metric, "__self__", None)
    return "train" if getattr(getattr(trainer, "model", None), "training", True) else "eval"


def _log(rewards: Sequence[Reward], columns: Mapping[str, object]) -> None:
    """Missing rewards as a metric, outcomes as a column of the completions table, where TRL logs them."""
    log_metric, log_extra = columns.get("log_metric"), columns.get("log_extra")
    if callable(log_metric) and rewards:
        missing = sum(reward.reward is None for reward in rewards)
        cast(LogMetric, log_metric)("trueward/missing", missing / len(rewards))
    if callable(log_extra):
        cast(LogExtra, log_extra)("trueward_outcome", [reward.outcome.value for reward in rewards])
