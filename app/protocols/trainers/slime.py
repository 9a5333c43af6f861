"""slime's remote reward model (``--rm-type remote_rm --rm-url URL``).

Request ``{"prompt", "response", "label"}``, one sample; the answer's body is the reward itself. With ``/object`` after
the path it is an object, for ``--reward-key score`` and ``--eval-reward-key acc``. Its client tries ten times and then
ends the rollout; it sends no metadata and cannot carry null.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, JsonValue, StrictStr

from app.protocols.trainers.serving import CallTerms
from trueward.trainers.chat_text import think_prefix
from trueward.wire.reward import Reward
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Outcome

PROTOCOL = CallTerms("slime", deadline_s=100.0)
"""Its client waits 120 s, and has 64 connections."""


class SlimePayload(BaseModel):
    model_config = ConfigDict(extra="ignore")

    prompt: StrictStr | list[Message]
    response: StrictStr
    label: JsonValue = None


class SlimeScores(BaseModel):
    """``score`` is the reward, ``acc`` whether the answer is right, ``missing`` 1 where the score stands in for one."""

    score: float
    acc: bool
    pred: str
    unit_score: float
    missing: float
    outcome: str
    reason_code: str


def parse(payload: SlimePayload) -> list[Sample]:
    prefix = think_prefix(payload.prompt) if isinstance(payload.prompt, str) else None
    return [Sample(prompt=payload.prompt, response=payload.response, reference=payload.label, prefix=prefix)]


def render(reward: Reward, number: float) -> SlimeScores:
    return SlimeScores(
        score=number,
        acc=reward.outcome is Outcome.CORRECT,
        pred=reward.reason[:200],
        unit_score=reward.in_unit(number),
        missing=float(reward.reward is None),
        outcome=reward.outcome.value,
        reason_code=reward.reason_code,
    )
