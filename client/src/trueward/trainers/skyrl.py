"""Rewards of a Trueward service for SkyRL, as an environment of skyrl-gym: one turn, scored, done.

::

    TruewardEnv = environment("http://127.0.0.1:8421", recipe="math")
    skyrl_gym.register(id="trueward", entry_point=TruewardEnv)        # and env_class: trueward in the data

The reference is ``extras["reward_spec"]["ground_truth"]``, as in skyrl-gym's own environments. SkyRL takes numbers: a
missing reward is the mean of its prompt's others (:mod:`.standing_in`), for which the step waits. The metadata of the
step and the metrics of the episode have ``trueward_missing``, the outcome and each term; a term without a score has no
key. Needs the package ``skyrl-gym``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, Unpack, cast

from pydantic import JsonValue

from trueward.errors import NotInstalled
from trueward.trainers.connection import THREADS, Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import baselines_of
from trueward.trainers.standing_in import flat

Conversation = Sequence[Mapping[str, JsonValue]]


class Environment(Protocol):
    """The part of ``BaseTextEnv`` that SkyRL calls."""

    def init(self, prompt: Conversation) -> tuple[Conversation, dict[str, object]]: ...
    def step(self, action: str) -> dict[str, object]: ...
    def get_metrics(self) -> dict[str, float | None]: ...


def environment(url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]) -> type[Environment]:
    """A class of environments; all of its instances share connections."""
    try:
        from skyrl_gym.envs.base_text_env import BaseTextEnv
    except ModuleNotFoundError as absent:
        raise NotInstalled("this environment needs skyrl-gym: pip install skyrl-gym") from absent
    connection = Connection(url, recipe, "skyrl", at_once=THREADS, **options)

    class TruewardEnv(BaseTextEnv):  # type: ignore[misc]  # its package has no types
        def __init__(self, env_config: object = None, extras: Mapping[str, JsonValue] | None = None) -> None:
            super().__init__()
            spec = cast(Mapping[str, JsonValue], (extras or {}).get("reward_spec") or {})
            self._reference = spec.get("ground_truth")
            self._baselines = baselines_of(extras or {})
            self._prompt: Conversation = []
            self._numbers: dict[str, float | None] = {}

        def init(self, prompt: Conversation) -> tuple[Conversation, dict[str, object]]:
            self._prompt = prompt
            return prompt, {}

        def step(self, action: str) -> dict[str, object]:
            sample: Fields = {
                "prompt": [dict(message) for message in self._prompt],
                "response": action,
                "reference": self._reference,
                **self._baselines,
            }
            rewards = connection.rewards([sample], apart=True)
            number = connection.means.rewards(rewards, [str(self._prompt)])[0]
            self._numbers = flat(rewards[0])
            metadata = {**self._numbers, "outcome": rewards[0].outcome.value, "record": rewards[0].record}
            return {"observations": [], "reward": number, "done": True, "metadata": metadata}

        def get_metrics(self) -> dict[str, float | None]:
            return {name: value for name, value in self._numbers.items() if value is not None}

    return cast(type[Environment], TruewardEnv)
