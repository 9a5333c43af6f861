"""Rewards of a Trueward service for TRL's environments: an environment that owns its reward.

::

    factory = environment_factory("http://127.0.0.1:8421", recipe="code")
    GRPOTrainer(..., environment_factory=factory)                               # no reward_funcs are needed

The policy has a tool, ``submit``, and what it hands in first is what is judged; what it writes beside is not. Judging
begins at once, while other responses are still written. A rollout that hands nothing in is judged as an empty response.
``get_reward`` is None where the reward is missing: TRL keeps that rollout out of its group's statistics and gives it
advantage 0, provided that there is no other reward. A service that does not answer within ``deadline_s`` raises.

Not here: recipes that need whole groups, for TRL asks rollout by rollout; the trainer's step, which TRL does not tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Unpack, cast

from pydantic import JsonValue

from trueward.errors import FieldProblem, InvalidRequest
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.trl import PASSED_ON
from trueward.wire.reward import Reward
from trueward.wire.sample import Split


class TruewardEnvironment:
    """What TRL resets for each rollout. Public methods are tools: a subclass may have more of them.

    Its class's name is that under which TRL logs the reward.
    """

    def __init__(self, connection: Connection, reference_column: str | None) -> None:
        self._connection = connection
        self._reference_column = reference_column
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._row: Mapping[str, object] = {}
        self._judged: Future[Reward] | None = None

    def reset(self, **row: object) -> None:
        """A new rollout, of a row of the data set. Raises :class:`InvalidRequest` where it has no such column."""
        if self._reference_column is not None and self._reference_column not in row:
            raise _no_column(self._reference_column, row)
        self._row = row
        self._judged = None

    def submit(self, answer: str) -> str:
        """Hands in the final answer. Only the first one counts.

        Args:
            answer: The whole final answer.

        Returns:
            Whether it was taken.
        """
        if self._judged is not None:
            return "An answer was handed in before; that one counts."
        self._judged = self._thread.submit(self._ask_reward, str(answer))
        return "The answer was taken."

    def get_reward(self) -> float | None:
        """The reward of what was handed in; None where it is missing. Raises :mod:`trueward.errors`."""
        judged = self._judged or self._thread.submit(self._ask_reward, "")
        return judged.result().reward

    def _ask_reward(self, answer: str) -> Reward:
        row = self._row
        sample: Fields = {"response": answer}
        if self._reference_column is not None:
            sample["reference"] = cast(JsonValue, row[self._reference_column])
        sample |= {name: cast(JsonValue, row[name]) for name in ("prompt", *PASSED_ON) if row.get(name) is not None}
        split: Split = "train" if row.get("split", "train") == "train" else "eval"
        (reward,) = self._connection.rewards([sample], split=split)
        return reward


@dataclass(frozen=True, slots=True)
class EnvironmentFactory:
    """What TRL's ``environment_factory`` takes; can be pickled."""

    connection: Connection
    reference_column: str | None
    environment: type[TruewardEnvironment]

    def __call__(self) -> TruewardEnvironment:
        return self.environment(self.connection, self.reference_column)


def environment_factory(
    url: str | None = None,
    *,
    recipe: Recipe,
    reference_column: str | None = "reference",
    environment: type[TruewardEnvironment] = TruewardEnvironment,
    **options: Unpack[Options],
) -> EnvironmentFactory:
    """Environments that share connections. ``environment`` is a subclass with tools of its own."""
    return EnvironmentFactory(Connection(url, recipe, "trl", **options), reference_column, environment)


def _no_column(name: str, row: Mapping[str, object]) -> InvalidRequest:
    at_hand = ", ".join(sorted(set(row) - {"prompt"})) or "none but the prompt"
    return InvalidRequest(
        f"the dataset has no column {name!r}; columns at hand: {at_hand}. "
        "Name the one with the gold answers: environment_factory(..., reference_column=...)",
        errors=[FieldProblem(field=name, code="missing_column", detail=f"columns at hand: {at_hand}")],
    )
