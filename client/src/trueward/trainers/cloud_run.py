"""Rewards of a Trueward service for reinforcement fine-tuning on Google Cloud: the scorer of a Cloud Run service.

::

    scorer = cloud_run_scorer("https://rewards.example", recipe="math", group_size=16)      # main.py

    @functions_framework.http
    def score(request):
        return scorer(request.get_json())

A request has one response: ``example`` (``contents``, ``systemInstruction``, ``references``), ``response`` and
``metadata`` with the step. The answer has the ``reward``, which Google clips to -1 and 1, and a text for its
validation, ``user_requested_aux_info``. A reward is a number there, so a missing one is the mean of its prompt's
others, for which it waits (:mod:`.standing_in`). A service that is away for longer than ``deadline_s``, or that
refuses, raises: the request fails, and no reward is made up.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Unpack

from pydantic import JsonValue

from trueward.trainers.connection import Connection, Fields, Options, Recipe

Payload = Mapping[str, Any]


def cloud_run_scorer(
    url: str | None = None, *, recipe: Recipe, reference: str | None = "answer", **options: Unpack[Options]
) -> Callable[[Payload], dict[str, JsonValue]]:
    """``scorer(payload)``, to be called in threads; ``reference`` names the gold answer among ``references``, None
    where the recipe needs none. Name the ``run``: every instance of the service would have a new one."""
    connection = Connection(url, recipe, "cloud-run", **options)

    def scorer(payload: Payload) -> dict[str, JsonValue]:
        sample = _sample(payload["example"], payload["response"], reference)
        step = payload.get("metadata", {}).get("step")
        rewards = connection.rewards([sample], step=step, apart=True)
        (number,) = connection.means.rewards(rewards, [json.dumps(sample["prompt"])])
        (reward,) = rewards
        said = f"{reward.outcome.value}: {reward.reason_code}: {reward.reason} (record {reward.record})"
        return {"reward": number, "user_requested_aux_info": said}

    return scorer


def _sample(example: Payload, response: Payload, reference: str | None) -> Fields:
    system = example.get("systemInstruction")
    prompt: list[JsonValue] = [] if system is None else [{"role": "system", "content": _text(system)}]
    for content in example.get("contents", ()):
        role = "assistant" if content.get("role") == "model" else "user"
        prompt.append({"role": role, "content": _text(content)})
    sample: Fields = {"prompt": prompt, "response": _text(response)}
    if reference is not None:
        sample["reference"] = example.get("references", {}).get(reference)
    return sample


def _text(content: Payload) -> str:
    """The text of a content's parts, without thoughts and other media."""
    return "".join(part.get("text", "") for part in content.get("parts", ()) if not part.get("thought"))
