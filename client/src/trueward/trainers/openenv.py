"""Rewards of a Trueward service for OpenEnv's environments, as a rubric.

::

    def sample(action, observation):
        return {"prompt": observation.task, "response": action.message, "reference": observation.answer}

    super().__init__(rubric=rubric("http://127.0.0.1:8421", recipe="math", sample=sample))      # of an environment

What an action and an observation hold is the environment's own, so ``sample`` says what to judge, or None for a step
that is not judged: its reward is 0. A missing reward is None, as the reward of an observation may be; OpenEnv's own
containers of rubrics cannot add None up, so terms belong into the recipe. A service that is away for longer than
``deadline_s``, or that refuses, raises.

OpenEnv runs ``step`` in a thread and ``step_async`` on its event loop: there :func:`rubric` would keep all other
sessions waiting, and :func:`async_rubric` does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from trueward.errors import NotInstalled
from trueward.trainers.connection import Connection, Fields, Options, Recipe

Sample = Callable[[Any, Any], Fields | None]


def rubric(url: str | None = None, *, recipe: Recipe, sample: Sample, **options: Unpack[Options]) -> Any:
    """An instance of OpenEnv's ``Rubric``; ``sample`` gives a sample's fields for an action and an observation."""
    base = _import_base()
    connection = Connection(url, recipe, "openenv", **options)

    class TruewardRubric(base):  # type: ignore[misc, valid-type]  # its package has no types here
        def forward(self, action: Any, observation: Any) -> float | None:
            given = sample(action, observation)
            return 0.0 if given is None else connection.rewards([given])[0].reward

    return TruewardRubric()


def async_rubric(url: str | None = None, *, recipe: Recipe, sample: Sample, **options: Unpack[Options]) -> Any:
    """:func:`rubric` for environments with ``step_async``, which await ``_apply_rubric_async``."""
    base = _import_base()
    connection = Connection(url, recipe, "openenv", **options)

    class AsyncTruewardRubric(base):  # type: ignore[misc, valid-type]  # its package has no types here
        async def forward(self, action: Any, observation: Any) -> float | None:
            given = sample(action, observation)
            return 0.0 if given is None else (await connection.await_rewards([given]))[0].reward

    return AsyncTruewardRubric()


def _import_base() -> type:
    try:
        from openenv.core.rubrics import Rubric
    except ModuleNotFoundError as absent:
        raise NotInstalled("this rubric needs openenv-core: pip install openenv-core") from absent
    base: type = Rubric
    return base
