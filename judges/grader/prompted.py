"""What the graders that ask a model have in common: the caller's messages made turns, and the form of the reply.

The caller's own words are the instructions. What is filled into them, of the item and of the sample, stands in fences
(:mod:`judges.asking.fence`), and a word ahead says what fences are and what form the reply has: so a response that
gives orders is read as a response. OpenAI fills it in bare.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictInt, field_validator

from judges.asking import Form, Material, Said, Sampling, ask
from judges.asking.ask import Check
from judges.asking.fence import RULES
from judges.base import Models
from judges.grader.grade import GraderObject
from judges.grader.subject import Namespace, Subject, Unfit
from judges.grader.template import TemplateText, template
from judges.hardening.canonical import explain_emptiness, has_content, no_answer
from judges.questions import Turn
from trueward.wire.base import Number

MAX_TOKENS = 4096
_PREFACE = (
    "{rules}\n\nWhatever the prompt says of how to answer, reply with one JSON object and nothing else: "
    '{{"steps": [{{"description": "what you look at", "conclusion": "what you find"}}], {asked}}}'
)
_STEPS: JsonValue = {
    "type": "array",
    "default": [],
    "items": {
        "type": "object",
        "properties": {"description": {"type": "string"}, "conclusion": {"type": "string"}},
        "required": ["description", "conclusion"],
        "additionalProperties": False,
    },
}


class TextPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["input_text", "output_text"]
    text: TemplateText


Content = TemplateText | TextPart


class InputMessage(BaseModel):
    """Texts alone: images and sounds are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["user", "assistant", "system", "developer"]
    content: TemplateText | TextPart | Annotated[tuple[Content, ...], Field(min_length=1)]
    type: Literal["message"] = "message"

    @field_validator("content", mode="before")
    @classmethod
    def _words(cls, content: object) -> object:
        for part in content if isinstance(content, (list, tuple)) else [content]:
            kind = part.get("type") if isinstance(part, dict) else None
            if kind in ("input_image", "input_audio"):
                raise ValueError(f"{kind} is not offered: graders here read text")
        return content

    @property
    def sources(self) -> tuple[str, ...]:
        parts = self.content if isinstance(self.content, tuple) else (self.content,)
        return tuple(part.text if isinstance(part, TextPart) else part for part in parts)


class SamplingParams(BaseModel):
    """``reasoning_effort`` is taken and not passed on: it is a setting of the model's server."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    max_completions_tokens: Annotated[StrictInt, Field(ge=1, le=100_000)] | None = None
    temperature: Annotated[Number, Field(ge=0, le=2)] | None = None
    top_p: Annotated[Number, Field(gt=0, le=1)] | None = None
    seed: Annotated[StrictInt, Field(ge=-(2**63), lt=2**63)] | None = None
    reasoning_effort: str | None = Field(None, max_length=64)

    @property
    def sampling(self) -> Sampling:
        return Sampling(
            temperature=self.temperature or 0.0,
            max_tokens=self.max_completions_tokens or MAX_TOKENS,
            top_p=1.0 if self.top_p is None else self.top_p,
            seed=self.seed,
        )


class Prompted(GraderObject):
    """Without a temperature the model is greedy."""

    model: str = Field(min_length=1, max_length=128)
    input: tuple[InputMessage, ...] = Field(min_length=1, max_length=64)
    sampling_params: SamplingParams | None = None

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def check(self, subject: Subject) -> None:
        answers = subject.answers
        known = has_content(answers)
        nothing = explain_emptiness(subject.text, answers) if known else no_answer(subject.text, answers)
        if nothing and not subject.tools:
            raise Unfit("nothing_said", nothing)
        for message in self.input:
            _filled(message, subject)

    async def ask_model(
        self, subject: Subject, models: Models, asked: str, field: dict[str, JsonValue], check: Check | None = None
    ) -> Said:
        """The reply; ``asked`` is its last field in words, ``field`` as JSON Schema by name."""
        form = Form(
            {
                "type": "object",
                "properties": {"steps": _STEPS, **field},
                "required": ["steps", *field],
                "additionalProperties": False,
            }
        )
        sampling = (self.sampling_params or SamplingParams()).sampling
        return await ask(models, self.model, self.turns(subject, asked), form, sampling, check)

    def turns(self, subject: Subject, asked: str) -> tuple[Turn, ...]:
        """One system turn at most, and that ahead: models know no ``developer``, and take no second one later."""
        preface = _PREFACE.format(rules=RULES, asked=asked)
        given = [Turn(_ROLES[one.role], _filled(one, subject)) for one in self.input]
        while given and given[0].role == "system":
            preface = f"{preface}\n\n{given.pop(0).content}"
        return (Turn("system", preface), *given)


_ROLES = {"developer": "system", "system": "system", "user": "user", "assistant": "assistant"}


def _filled(message: InputMessage, subject: Subject) -> str:
    return "\n\n".join(template(source).fill(subject, _fenced) for source in message.sources)


def _fenced(namespace: Namespace, text: str) -> str:
    return str(Material(namespace.upper(), text))
