"""Rewards of a Trueward service for Tinker's cookbook, as a group of environments: one request a group.

::

    builder = group_builder("http://127.0.0.1:8421", recipe="math")
    builder(renderer, "1+1?", "2", size=8)      # what an RLDataset's get_batch returns a list of

An environment is one turn: the prompt is asked, what the policy answers is kept, and its step is worth 0. The reward is
the group's, by ``compute_group_rewards``, where all answers are at hand: recipes that look at whole groups work, and a
missing reward is the mean of the others (:mod:`.standing_in`), so its advantage is near 0. A service that is away for
longer than ``deadline_s``, or that refuses, raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import ENDS
from trueward.trainers.standing_in import flat

Prompt = str | Sequence[Mapping[str, JsonValue]]


def group_builder(url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]) -> GroupBuilder:
    """What makes groups of prompts; they share connections."""
    return GroupBuilder(Connection(url, recipe, "tinker", **options))


@dataclass(frozen=True, slots=True)
class GroupBuilder:
    connection: Connection

    def __call__(self, renderer: Any, prompt: Prompt, reference: JsonValue = None, *, size: int) -> TruewardGroup:
        """A group of ``size`` answers to one prompt, text or messages. ``renderer`` is the cookbook's."""
        asked = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else [dict(one) for one in prompt]
        return TruewardGroup(self.connection, renderer, cast(list[JsonValue], asked), reference, size)


class TruewardEnv:
    """One answer to a prompt, as the cookbook's ``Env`` is asked for it."""

    def __init__(self, renderer: Any, prompt: Sequence[JsonValue]) -> None:
        self._renderer = renderer
        self._prompt = prompt
        self.said: Fields = {"response": ""}

    async def initial_observation(self) -> tuple[Any, Any]:
        return self._renderer.build_generation_prompt(list(self._prompt)), self._renderer.get_stop_sequences()

    async def step(self, action: Sequence[int], *, extra: Mapping[str, object] | None = None) -> Any:
        """Keeps what was said: the reward is the group's."""
        import tinker
        from tinker_cookbook.renderers import get_text_content
        from tinker_cookbook.rl.types import StepResult

        message, _ = self._renderer.parse_response(action)
        self.said = {"response": get_text_content(message), "tokens": len(action)}
        ended = ENDS.get((extra or {}).get("stop_reason"))
        if ended is not None:
            self.said["finish_reason"] = ended
        return StepResult(
            reward=0.0,
            episode_done=True,
            next_observation=tinker.ModelInput.empty(),
            next_stop_condition=self._renderer.get_stop_sequences(),
        )


@dataclass(frozen=True, slots=True)
class TruewardGroup:
    """The cookbook's ``EnvGroupBuilder`` of one prompt; can be pickled where its renderer can."""

    connection: Connection
    renderer: Any
    prompt: list[JsonValue]
    reference: JsonValue
    size: int

    async def make_envs(self) -> list[TruewardEnv]:
        return [TruewardEnv(self.renderer, self.prompt) for _ in range(self.size)]

    async def compute_group_rewards(
        self, trajectory_group: Sequence[object], env_group: Sequence[TruewardEnv]
    ) -> list[tuple[float, dict[str, float]]]:
        """Reward and metrics of each trajectory, in order. Raises :mod:`trueward.errors`."""
        same: Fields = {"prompt": self.prompt, "reference": self.reference}
        rewards = await self.connection.await_rewards([{**same, **env.said} for env in env_group])
        numbers = self.connection.means.rewards(rewards, [0] * len(rewards))
        metrics = [{name: value for name, value in flat(one).items() if value is not None} for one in rewards]
        return list(zip(numbers, metrics, strict=True))

    async def cleanup(self) -> None:
        """There is nothing to stop."""

    def logging_tags(self) -> list[str]:
        return [self.connection.name]
