"""eval-protocol's remote reward function: ``POST /evaluate {"messages", "ground_truth", ...}``.

The response is what the assistant says after the last turn of the user. Its client (0.3.33) has no time limit, never
tries again, raises whatever is not 200, and sends the earlier messages as ``ground_truth`` where there is none: these
are no reference. A missing score is ``is_score_valid: false`` with an ``error``. That client drops both and keeps the
number, so the number is the mean so far, and no 0 that would count as a wrong answer.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue

from app.protocols.trainers.serving import CallTerms
from trueward.wire.reward import Reward
from trueward.wire.sample import Message, Sample

PROTOCOL = CallTerms("eval_protocol", deadline_s=55.0)


class EvalProtocolPayload(BaseModel):
    """What else is sent, at the top or under ``kwargs``, becomes the sample's metadata."""

    model_config = ConfigDict(extra="allow")

    messages: list[Message]
    ground_truth: JsonValue = None


class EvalProtocolMetric(BaseModel):
    score: float
    reason: str = ""
    is_score_valid: bool = True
    success: bool = True
    """The same: what its client reads."""


class EvalProtocolAnswer(BaseModel):
    score: float
    is_score_valid: bool
    reason: str
    metrics: dict[str, EvalProtocolMetric]
    step_outputs: list[dict[str, JsonValue]] | None = None
    error: str | None = None


def parse(payload: EvalProtocolPayload) -> list[Sample]:
    users = [place for place, message in enumerate(payload.messages) if message.role == "user"]
    start = users[-1] + 1 if users else 0
    while start < len(payload.messages) and not payload.messages[start].is_policy:
        start += 1
    said = payload.messages[start:]
    more = dict(payload.model_extra or {})
    named = more.pop("kwargs", None)
    metadata = {**more, **named} if isinstance(named, dict) else more
    plain = len(said) == 1 and isinstance(said[0].content, str) and not said[0].model_extra
    return [
        Sample(
            prompt=[message.model_copy(update={"policy": False}) for message in payload.messages[:start]],
            response=said[0].text if plain else said,
            reference=None if _is_context(payload.ground_truth) else payload.ground_truth,
            metadata=metadata or None,
        )
    ]


def _is_context(given: JsonValue) -> bool:
    """Whether it is messages, or none of them: what the client sends for want of a reference."""
    return isinstance(given, list) and all(isinstance(one, dict) and {"role", "content"} <= one.keys() for one in given)


def render(reward: Reward, number: float) -> EvalProtocolAnswer:
    """``number`` is the reward, or what stands in for it; ``step_outputs`` has those of steps, where there are any."""
    said = f"{reward.reason_code}: {reward.reason}"
    return EvalProtocolAnswer(
        score=number,
        is_score_valid=reward.reward is not None,
        reason=said,
        metrics={
            name: EvalProtocolMetric(score=score or 0.0, is_score_valid=score is not None, success=score is not None)
            for name, score in reward.components.items()
        },
        step_outputs=[{"step_index": place, "base_reward": one} for place, one in enumerate(reward.step_rewards or [])]
        or None,
        error=None if reward.reward is not None else f"{reward.outcome.value}: {said}",
    )
