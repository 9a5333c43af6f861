"""Rewards of a Trueward service for Inspect, as a scorer: an evaluation is judged by what training is paid by.

::

    Task(dataset=..., solver=generate(), scorer=trueward("http://127.0.0.1:8421", recipe="math"))

A missing reward is an unscored sample (``Score.unscored``), which Inspect's metrics leave out. Everything is sent with
split ``eval``, so that no state of a training run is fed by it. A score's metadata has the outcome and each term.
Needs the package ``inspect-ai``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from trueward.errors import NotInstalled
from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.passed_on import ENDS, baselines_of
from trueward.wire.reward import Reward

if TYPE_CHECKING:
    from inspect_ai.scorer import Score, Scorer, Target
    from inspect_ai.solver import TaskState


def trueward(url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]) -> Scorer:
    """A scorer with mean and standard error; empty targets are no reference."""
    try:
        from inspect_ai.scorer import mean, scorer, stderr
    except ModuleNotFoundError as absent:
        raise NotInstalled("this scorer needs inspect-ai: pip install inspect-ai") from absent
    connection = Connection(url, recipe, "inspect", **options)

    @scorer(metrics=[mean(), stderr()], name=connection.name)  # type: ignore[untyped-decorator]  # no types here
    def make() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            sample: Fields = {
                "prompt": state.input_text,
                "response": state.output.completion,
                "reference": [text for text in target if text] or None,
                "finish_reason": ENDS.get(state.output.stop_reason),
                **baselines_of(state.metadata),
            }
            return _score((await connection.await_rewards([sample], split="eval"))[0])

        return score

    return make()


def _score(reward: Reward) -> Score:
    from inspect_ai.scorer import Score

    said = f"{reward.reason_code}: {reward.reason}" if reward.reason else reward.reason_code
    metadata = {"outcome": reward.outcome.value, "record": reward.record, "components": reward.components}
    if reward.reward is None:
        return Score.unscored(reason=reward.reason_code, explanation=said, metadata=metadata)
    return Score(value=reward.reward, explanation=said, metadata=metadata)
