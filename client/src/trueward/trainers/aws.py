"""Rewards of a Trueward service for reinforcement fine-tuning on AWS: the Lambda function of Bedrock and SageMaker.

::

    handler = lambda_handler("https://rewards.example", recipe="math")          # in the function's module

An event is a list of samples, or one: ``id``, ``messages`` with the policy's answer last, and ``reference_answer``,
which Bedrock has under ``metadata``. The answer has for each ``id``, ``aggregate_reward_score`` and ``metrics_list``,
whose entries have ``name``, ``value`` and ``type`` (``Reward`` or ``Metric``): the terms of the recipe,
``trueward_outcome`` and ``trueward_missing``.

A score is a number there, so a missing reward stands in (:mod:`.standing_in`), flagged. A service that is away for
longer than ``deadline_s``, or that refuses, raises: the invocation fails, and no reward is made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Unpack, cast

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe
from trueward.trainers.standing_in import flat
from trueward.wire.reward import Reward

Row = Mapping[str, JsonValue]
Event = Row | Sequence[Row]


def lambda_handler(
    url: str | None = None, *, recipe: Recipe, reference_key: str | None = None, **options: Unpack[Options]
) -> Callable[[Event, object], list[dict[str, JsonValue]]]:
    """``handler(event, context)``; ``reference_key`` names the field with the gold answer, where ``reference_answer``
    is an object. Name the ``run``: every container of the function would have a new one. The handler raises ValueError
    for a row without an answer of the policy's."""
    connection = Connection(url, recipe, "aws", **options)

    def handler(event: Event, context: object) -> list[dict[str, JsonValue]]:
        rows = [event] if isinstance(event, Mapping) else list(event)
        samples = [_sample(row, reference_key) for row in rows]
        rewards = connection.rewards(samples) if samples else []
        prompts = [json.dumps(sample["prompt"]) for sample in samples]
        scores = connection.means.rewards(rewards, prompts)
        return [_answer(row, reward, score) for row, reward, score in zip(rows, rewards, scores, strict=True)]

    return handler


def _sample(row: Row, reference_key: str | None) -> Fields:
    messages = cast(list[dict[str, JsonValue]], row.get("messages") or [])
    if not messages or messages[-1].get("role") != "assistant":
        raise ValueError(f"row {row.get('id')!r}: its messages do not end with one of the assistant's")
    metadata = row.get("metadata")
    reference = row.get("reference_answer")
    if reference is None and isinstance(metadata, Mapping):
        reference = metadata.get("reference_answer")
    if reference_key is not None and isinstance(reference, Mapping):
        reference = reference.get(reference_key)
    return {"prompt": cast(JsonValue, messages[:-1]), "response": messages[-1]["content"], "reference": reference}


def _answer(row: Row, reward: Reward, score: float) -> dict[str, JsonValue]:
    logged = {name: value for name, value in flat(reward).items() if value is not None}
    terms = {name: value for name, value in logged.items() if name.startswith("trueward_component_")}
    metrics: list[JsonValue] = [
        {"name": name, "value": value, "type": "Reward" if name in terms else "Metric"}
        for name, value in logged.items()
    ]
    return {"id": row.get("id"), "aggregate_reward_score": score, "metrics_list": metrics}
