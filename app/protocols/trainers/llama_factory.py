"""LLaMA-Factory's reward API (``reward_model_type: api``, ``reward_model: URL``).

Request ``{"model", "messages": [text, ...]}``, each text a prompt and its response in the chat template; answer
``{"id", "object", "model", "scores": [...]}``, of which only ``scores`` is read. Its client has no time limit, looks at
no status and tries once, so a request is held and each text gets a number. No reference is sent: take a recipe that
needs none (a judge, a reward model, a format).
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, StrictInt, StrictStr

from app.kit.tokens import new_id
from app.protocols.trainers.serving import CallTerms
from app.protocols.trainers.template_text import Opener, split_prompt
from trueward.trainers.chat_text import think_prefix, without_tail
from trueward.wire.sample import Sample

PROTOCOL = CallTerms("llamafactory", deadline_s=300.0, single=False)


class LlamaFactoryPayload(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: StrictStr = "model"
    messages: list[StrictStr]
    max_length: StrictInt | None = None


class LlamaFactoryAnswer(BaseModel):
    id: str
    object: str = "score.evaluation"
    model: str
    scores: list[float]


def parse(payload: LlamaFactoryPayload, opener: Opener = "first") -> list[Sample]:
    """One sample a text."""
    parts = [split_prompt(text, opener) for text in payload.messages]
    return [
        Sample(prompt=prompt, response=without_tail(response), prefix=think_prefix(prompt))
        for prompt, response in parts
    ]


def render(payload: LlamaFactoryPayload, scores: Sequence[float]) -> LlamaFactoryAnswer:
    return LlamaFactoryAnswer(id=f"scoreval-{new_id()}", model=payload.model, scores=[*scores])
