"""A sample: one response to judge, and what is known of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from trueward.wire.base import Number, Score, Wire

FinishReason = Literal["stop", "length", "aborted", "tool"]


Split = Literal["train", "eval"]


PARSED = "parsed"
"""The context of a validation whose values come from a JSON parser: that they are JSON is not looked at again, which
takes 0.2 us for each of them."""


def _unless_parsed(kind: type) -> WrapValidator:
    def validated(value: object, validate: ValidatorFunctionWrapHandler, info: ValidationInfo) -> object:
        return value if info.context == PARSED and isinstance(value, kind) else validate(value)

    return WrapValidator(validated)


_Parts = Annotated[list[JsonValue], _unless_parsed(list)]
_Reference = Annotated[JsonValue, _unless_parsed(object)]
_Metadata = Annotated[dict[StrictStr, JsonValue], _unless_parsed(dict)]


THINKING_PARTS = ("thinking", "reasoning", "reasoning_text", "redacted_thinking")


class Message(BaseModel):
    """One chat message. Messages of role ``assistant`` are the policy's unless ``policy`` is False."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    role: StrictStr
    content: StrictStr | _Parts | None = None
    policy: StrictBool | None = None

    @property
    def is_policy(self) -> bool:
        return self.role == "assistant" if self.policy is None else self.policy

    @property
    def text(self) -> str:
        """The textual content; parts that are not text, and those of thinking, are left out."""
        if isinstance(self.content, str):
            return self.content
        parts = [part for part in self.content or [] if isinstance(part, dict)]
        shown = [part.get("text") for part in parts if part.get("type") not in THINKING_PARTS]
        return "".join(text for text in shown if isinstance(text, str))


class TokenLogprobs(Wire):
    """Log-probabilities that a trainer sends: one entry a token, offsets in characters."""

    token_ids: list[StrictInt]
    logprobs: list[Number]
    offsets: list[tuple[StrictInt, StrictInt]] | None = None
    model: StrictStr | None = None


class Sample(BaseModel):
    """One response to judge.

    A missing ``id`` is the sample's index in its request; a list as ``reference`` means any of its
    elements; a missing ``group`` means the samples with the same prompt in the same request. A field
    that is not named here does not fail the request: that sample alone is ``abstained: unknown_field``.
    """

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    id: StrictStr | None = Field(default=None, max_length=512)
    prompt: StrictStr | list[Message] | None = None
    response: StrictStr | list[Message] | None = None
    reference: _Reference = None
    group: StrictStr | None = Field(default=None, max_length=512)
    pair: StrictStr | None = Field(default=None, max_length=512)
    data_source: StrictStr | None = None
    hint: StrictStr | None = None
    metadata: _Metadata | None = None
    finish_reason: FinishReason | None = None
    tokens: Annotated[StrictInt, Field(ge=0)] | None = None
    token_ids: list[StrictInt] | None = None
    logprobs: TokenLogprobs | None = None
    reference_logprobs: TokenLogprobs | None = None
    reasoning: StrictStr | None = None
    prefix: StrictStr | None = None
    baselines: list[StrictStr] | None = None
    baseline_scores: list[Score] | None = None

    identity: ClassVar[frozenset[str]] = frozenset({"id", "group", "pair"})
    """Fields that name the sample and say nothing of its content."""

    @property
    def response_text(self) -> str:
        """The policy's own text: the response, or its policy messages joined by blank lines."""
        return _policy_text(self.response)

    @property
    def prompt_text(self) -> str:
        """The prompt as one text: messages joined by blank lines."""
        if isinstance(self.prompt, str):
            return self.prompt
        return "\n\n".join(message.text for message in self.prompt or [])

    def count_tokens(self) -> int | None:
        """Tokens of the response, as the trainer counted them; None where it did not."""
        if self.tokens is not None:
            return self.tokens
        if self.token_ids is not None:
            return len(self.token_ids)
        return None if self.logprobs is None else len(self.logprobs.token_ids)

    @property
    def references(self) -> list[JsonValue]:
        """The acceptable references: none, one, or several (a list means any of them)."""
        if self.reference is None:
            return []
        return self.reference if isinstance(self.reference, list) else [self.reference]


def _policy_text(response: str | list[Message] | None) -> str:
    if isinstance(response, str):
        return response
    return "\n\n".join(message.text for message in response or [] if message.is_policy)


def group_names(samples: Sequence[Sample]) -> list[str]:
    """The group of each sample: its own, else one named after its prompt."""
    of_prompts: dict[str, str] = {}
    names = []
    for sample in samples:
        name = sample.group
        if name is None:
            prompt = sample.prompt_text
            name = of_prompts.get(prompt) or of_prompts.setdefault(prompt, _group_of(prompt))
        names.append(name)
    return names


def prompt_group(sample: Sample) -> str:
    """``prompt:`` and the start of the prompt's hash."""
    return _group_of(sample.prompt_text)


def _group_of(prompt: str) -> str:
    return "prompt:" + hashlib.blake2b(prompt.encode(), digest_size=8).hexdigest()
