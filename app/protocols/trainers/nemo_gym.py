"""NeMo Gym's resources server: ``/seed_session``, ``/verify``, ``/aggregate_metrics``, ``/reverify_mode``.

``/verify`` gets a rollout as OpenAI's Responses API has it, and whatever the dataset's row holds beside it. It echoes
the rollout and adds ``reward`` and ``reward_components``, which sum to it under constant keys. A missing score is what
Gym calls a failure, which it keeps apart and may try again, and is masked for NeMo RL
(:func:`trueward.trainers.nemo_gym.mark_missing`). prime verifiers' client looks at neither, so its reward is the mean
so far, and no 0 that would count as a wrong answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import fsum
from sys import float_info

from pydantic import BaseModel, ConfigDict, JsonValue

from app.protocols.trainers.serving import CallTerms
from trueward.errors import InvalidRequest
from trueward.trainers.nemo_gym import mark_missing
from trueward.wire.reward import Reward
from trueward.wire.sample import Message, Sample

PROTOCOL = CallTerms("nemo_gym", deadline_s=55.0)
"""prime verifiers' client of these servers waits 60 s."""

REFERENCES = ("expected_answer", "answer", "ground_truth", "reference", "verifier_metadata")
"""Fields of the row that are taken for the reference, the first that is there; ``?reference=`` names another."""
REST = "rest"
"""The component that makes the others sum to the reward."""


class NemoGymPayload(BaseModel):
    """A rollout; every other field is the row's."""

    model_config = ConfigDict(extra="allow")

    responses_create_params: dict[str, JsonValue]
    response: dict[str, JsonValue]


class NemoGymResults(BaseModel):
    """The results of a run, as Gym collects them."""

    model_config = ConfigDict(extra="ignore")

    verify_responses: list[dict[str, JsonValue]] = []


class NemoGymAggregate(BaseModel):
    """Means by name, over ``count`` results; ``failed`` had no score."""

    count: int
    failed: int
    metrics: dict[str, float]


def parse(payload: NemoGymPayload, reference: str | None = None) -> list[Sample]:
    """``reference`` is a path of fields with dots between. Raises :class:`InvalidRequest` where the row lacks it."""
    row = dict(payload.model_extra or {})
    given = payload.responses_create_params.get("input")
    prompt: str | list[Message] = given if isinstance(given, str) else [_message(one) for one in _rows(given)]
    system = payload.responses_create_params.get("instructions")
    if isinstance(system, str) and isinstance(prompt, list):
        prompt = [Message(role="system", content=system), *prompt]
    said = [message for item in _rows(payload.response.get("output")) for message in _messages_of(item)]
    reasoning = "\n\n".join(_reasoning(item) for item in _rows(payload.response.get("output")))
    group = row.get("group_id") if isinstance(row.get("group_id"), str) else None
    return [
        Sample(
            prompt=prompt,
            response=said[0].text if len(said) == 1 and said[0].is_policy and not said[0].model_extra else said,
            reference=_reference(row, reference),
            reasoning=reasoning.strip() or None,
            group=group if isinstance(group, str) else None,
            metadata={name: value for name, value in row.items() if isinstance(value, str | int | float | bool)}
            or None,
        )
    ]


def render(payload: NemoGymPayload, reward: Reward, number: float) -> dict[str, JsonValue]:
    """The whole result; ``number`` is the reward, or what stands in for it."""
    scores = {name: score if score is not None and reward.reward is not None else 0.0 for name, score in _parts(reward)}
    answer: dict[str, JsonValue] = {
        **(payload.model_extra or {}),
        "responses_create_params": payload.responses_create_params,
        "response": payload.response,
        "reward": number,
        "reward_components": {**scores, REST: number - fsum(scores.values())},
        "outcome": reward.outcome.value,
        "reason_code": reward.reason_code,
        "record": reward.record,
    }
    if reward.reward is not None:
        return answer
    return mark_missing(answer, f"{reward.outcome.value}: {reward.reason_code}: {reward.reason}"[:500])


def aggregate(results: NemoGymResults) -> NemoGymAggregate:
    """The mean reward, and that of each component."""
    scored = [one for one in results.verify_responses if "_ng_failure_class" not in one]
    rows: list[dict[str, JsonValue]] = []
    for one in scored:
        parts = one.get("reward_components")
        rows.append({"reward": one.get("reward"), **(parts if isinstance(parts, dict) else {})})
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= float_info.max:
                columns.setdefault(name, []).append(float(value))
    # divided first: the sum of two large numbers may be none
    means = {f"mean_{name}": fsum(value / len(values) for value in values) for name, values in columns.items()}
    return NemoGymAggregate(
        count=len(results.verify_responses), failed=len(results.verify_responses) - len(scored), metrics=means
    )


def _parts(reward: Reward) -> list[tuple[str, float | None]]:
    return [(name if name != REST else f"{REST}_", score) for name, score in reward.components.items()]


def _reference(row: Mapping[str, JsonValue], path: str | None) -> JsonValue:
    if path is None:
        return next((row[name] for name in REFERENCES if row.get(name) not in (None, "", {}, [])), None)
    value: JsonValue = dict(row)
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            detail = f"the row has no {path[:200]!r}: the URL's `reference` says that the reference is there"
            raise InvalidRequest.at_field(path[:200], "missing", detail)
        value = value[name]
    return value


def _rows(value: JsonValue) -> list[Mapping[str, JsonValue]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _message(item: Mapping[str, JsonValue]) -> Message:
    """A turn of the prompt; its parts' types (``input_text``) differ from ours in name alone."""
    role = item.get("role")
    return Message(role=role if isinstance(role, str) else "user", content=_text(item.get("content")), policy=False)


def _messages_of(item: Mapping[str, JsonValue]) -> list[Message]:
    """An item of the response: a message of the policy, its call of a tool, or the tool's answer."""
    match item.get("type"):
        case "message" | None:
            return [Message(role="assistant", content=_text(item.get("content")))]
        case "function_call":
            call = {"function": {"name": item.get("name"), "arguments": item.get("arguments")}}
            return [Message.model_validate({"role": "assistant", "content": "", "tool_calls": [call]})]
        case "function_call_output":
            output = item.get("output")
            return [Message(role="tool", content=output if isinstance(output, str) else json.dumps(output))]
    return []


def _reasoning(item: Mapping[str, JsonValue]) -> str:
    if item.get("type") != "reasoning":
        return ""
    return _text(item.get("content")) or _text(item.get("summary"))


def _text(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    texts = [part.get("text") for part in _rows(content)]
    return "".join(text for text in texts if isinstance(text, str))
