"""Rewards of a Trueward service for rows of eval-protocol, as Fireworks' reinforcement fine-tuning evaluates them.

::

    judge = row_evaluator("http://127.0.0.1:8421", recipe="math")

    @evaluation_test(input_dataset=["train.jsonl"])
    async def evaluate(row: EvaluationRow) -> EvaluationRow:
        return await judge(row)

The response is the row's last message, which is the assistant's, the prompt what is before it, the reference the row's
``ground_truth``. The result is the row's ``evaluation_result``. A missing reward has ``is_score_valid`` false and a
number that stands in (:mod:`.standing_in`), for the score is a number there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any, Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.wire.reward import Reward


def row_evaluator(
    url: str | None = None, *, recipe: Recipe, **options: Unpack[Options]
) -> Callable[[Any], Coroutine[None, None, Any]]:
    """An ``async def`` that takes a row and gives it back with its result. It raises ValueError for a row that does not
    end with a message of the assistant's."""
    from eval_protocol.models import EvaluateResult, MetricResult

    connection = Connection(url, recipe, "fireworks", **options)

    def result(reward: Reward, score: float) -> Any:
        valid = reward.reward is not None
        metrics = {
            name: MetricResult(
                score=value or 0.0, is_score_valid=value is not None, reason=reward.reason or reward.reason_code
            )
            for name, value in reward.components.items()
        }
        return EvaluateResult(
            score=score,
            is_score_valid=valid,
            reason=f"{reward.reason_code}: {reward.reason}",
            metrics=metrics,
            error=None if valid else f"{reward.outcome.value}: {reward.reason_code}",
        )

    async def evaluate(row: Any) -> Any:
        sample = _sample(row)
        rewards = await connection.await_rewards([sample], apart=True)
        (score,) = connection.means.rewards(rewards, [json.dumps(sample["prompt"])])
        row.evaluation_result = result(rewards[0], score)
        return row

    return evaluate


def _sample(row: Any) -> Fields:
    messages = [message.model_dump(mode="json", include={"role", "content"}) for message in row.messages]
    if not messages or messages[-1]["role"] != "assistant":
        raise ValueError("the row's messages do not end with one of the assistant's")
    return {
        "prompt": cast(JsonValue, messages[:-1]),
        "response": messages[-1]["content"],
        "reference": cast(JsonValue, row.ground_truth),
    }
