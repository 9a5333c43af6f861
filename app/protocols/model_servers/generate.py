"""SGLang's ``/generate`` where nothing is generated: how likely each token of what is sent is.

slime's on-policy distillation posts it to the URL of its reward model: ``{"input_ids": [...], "sampling_params":
{"max_new_tokens": 0, ...}, "return_logprob": true, "logprob_start_len": 0}``, and takes the log-probabilities of the
response off the end of ``meta_info.input_token_logprobs``. Token ids are read as they are. Log-probabilities are the
model's own, whatever the temperature. Not covered: generation, likely alternatives, images, the text of each token.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)

from app.kit.tokens import new_id
from app.protocols.model_servers.sglang import SglangBody, SglangMetaInfo
from judges.questions import Answer, EachToken


def _shape(given: object) -> str:
    return "many" if isinstance(given, list) and given and isinstance(given[0], list) else "one"


Ids = Annotated[list[Annotated[StrictInt, Field(ge=0)]], Field(min_length=1, fail_fast=True)]
Inputs = Annotated[
    Annotated[Ids, Tag("one")] | Annotated[list[Ids], Field(min_length=1, fail_fast=True), Tag("many")],
    Discriminator(_shape),
]
Entry = tuple[float | None, int, None]
"""Log-probability, number, and in the text's place null; the first entry has no log-probability."""


class SglangSampling(BaseModel):
    """Only texts that are sent are judged here: nothing else of the parameters has an effect."""

    model_config = ConfigDict(extra="ignore")

    max_new_tokens: Literal[0]


class SglangGenerateBody(SglangBody):
    """One input, or a list of them, as ``input_ids`` or as ``text``."""

    input_ids: Inputs | None = None
    text: StrictStr | list[StrictStr] | None = None
    sampling_params: SglangSampling | list[SglangSampling]
    return_logprob: Literal[True] | list[Literal[True]]
    logprob_start_len: Annotated[StrictInt, Field(ge=0)]
    top_logprobs_num: Literal[0] | None = None
    token_ids_logprob: None = None
    return_text_in_logprobs: Literal[False] = False
    stream: Literal[False] = False

    @model_validator(mode="after")
    def _one_input(self) -> Self:
        if (self.input_ids is None) == (self.text is None):
            raise ValueError("say either input_ids or text")
        return self

    @property
    def single(self) -> bool:
        """Whether it is answered with one object."""
        return isinstance(self.text, str) if self.text is not None else _shape(self.input_ids) == "one"


class SglangFinish(BaseModel):
    type: Literal["length"] = "length"
    length: int = 0


class SglangGeneratedMeta(SglangMetaInfo):
    finish_reason: SglangFinish = SglangFinish()
    completion_tokens: int = 0
    cached_tokens: int = 0
    input_token_logprobs: list[Entry]
    output_token_logprobs: list[Entry] = Field(default_factory=list)


class SglangGenerated(BaseModel):
    text: str = ""
    output_ids: list[int] = []
    meta_info: SglangGeneratedMeta


def each_token(body: SglangGenerateBody) -> list[EachToken]:
    """A question an input, in order."""
    start = body.logprob_start_len
    if body.text is not None:
        return [EachToken(text, start) for text in ([body.text] if isinstance(body.text, str) else body.text)]
    given = [body.input_ids] if body.single else body.input_ids
    return [EachToken(tuple(ids), start) for ids in cast(list[list[int]], given)]


def render_generations(body: SglangGenerateBody, answers: list[Answer]) -> SglangGenerated | list[SglangGenerated]:
    """One object for one input, a list for a list."""
    found = [SglangGenerated(meta_info=_meta_info(answer)) for answer in answers]
    return found[0] if body.single else found


def _meta_info(answer: Answer) -> SglangGeneratedMeta:
    [row], [ids] = answer.rows, answer.token_ids
    return SglangGeneratedMeta(
        id=new_id(),
        prompt_tokens=answer.tokens,
        weight_version=str(answer.weights),
        input_token_logprobs=[(said, token, None) for said, token in zip((None, *row), ids, strict=True)],
    )
