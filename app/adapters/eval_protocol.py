"""eval-protocol's remote reward function: ``POST /evaluate {"messages", "ground_truth", "kwargs"}``.

The response is what the assistant says after the last turn of the user. A missing score is ``is_score_valid: false``
with an ``error``, and a score of 0, for the field has to be a number.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue

from app.adapters.serving import Protocol
from trueward.types import Message, Reward, Sample

PROTOCOL = Protocol("eval_protocol", deadline_s=55.0)


class Payload(BaseModel):
    """What else is sent (``kwargs``) becomes the sample's metadata."""

    model_config = ConfigDict(extra="allow")

    messages: list[Message]
    ground_truth: JsonValue = None


class Metric(BaseModel):
    score: float
    reason: str = ""
    is_score_valid: bool = True


class Answer(BaseModel):
    score: float
    is_score_valid: bool
    reason: str
    metrics: dict[str, Metric]
    step_outputs: list[dict[str, JsonValue]] | None = None
    error: str | None = None


def parse(payload: Payload) -> list[Sample]:
    users = [place for place, message in enumerate(payload.messages) if message.role == "user"]
    start = users[-1] + 1 if users else 0
    while start < len(payload.messages) and not payload.messages[start].is_policy:
        start += 1
    said = payload.messages[start:]
    metadata = (payload.model_extra or {}).get("kwargs")
    plain = len(said) == 1 and isinstance(said[0].content, str) and not said[0].model_extra
    return [
        Sample(
            prompt=[message.model_copy(update={"policy": False}) for message in payload.messages[:start]],
            response=said[0].text if plain else said,
            reference=payload.ground_truth,
            metadata=metadata if isinstance(metadata, dict) and metadata else None,
        )
    ]


def render(reward: Reward) -> Answer:
    """``step_outputs`` has the rewards of steps, where the recipe gives them."""
    said = f"{reward.reason_code}: {reward.reason}"
    return Answer(
        score=reward.reward if reward.reward is not None else 0.0,
        is_score_valid=reward.reward is not None,
        reason=said,
        metrics={
            name: Metric(score=score or 0.0, is_score_valid=score is not None)
            for name, score in reward.components.items()
        },
        step_outputs=[{"step_index": place, "base_reward": one} for place, one in enumerate(reward.step_rewards or [])]
        or None,
        error=None if reward.reward is not None else f"{reward.outcome.value}: {said}",
    )
