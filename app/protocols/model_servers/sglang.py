"""SGLang's paths: ``/classify`` with ``text``, ``/v1/score`` over next tokens, ``/v1/embeddings`` of reward models.

Numbers of ``/classify`` and ``/v1/embeddings`` are the head's, without activation. The control tokens of a text count.
Not covered: token ids as texts, images, ``dimensions``. ``/generate`` is :mod:`app.protocols.model_servers.generate`.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr

from app.kit.tokens import new_id
from app.protocols.model_servers.numbers import activation, row_of
from app.protocols.model_servers.vllm import Texts, VllmUsage, texts
from judges.questions import Answer, Choices, Classify, Question


class SglangBody(BaseModel):
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: StrictStr | None = None


class SglangClassifyBody(SglangBody):
    text: Texts


class SglangScoreBody(SglangBody):
    """How likely each of the tokens is after the query and an item, or with ``item_first`` after them in that order."""

    query: StrictStr
    items: Texts
    label_token_ids: list[Annotated[StrictInt, Field(ge=0)]] = Field(min_length=1, max_length=1024)
    apply_softmax: StrictBool = False
    item_first: StrictBool = False


class SglangEmbeddingsBody(SglangBody):
    input: Texts
    encoding_format: Literal["float"] = "float"
    dimensions: None = None


class SglangMetaInfo(BaseModel):
    id: str
    prompt_tokens: int
    weight_version: str


class SglangClass(BaseModel):
    embedding: list[float]
    meta_info: SglangMetaInfo


class SglangScoreAnswer(BaseModel):
    scores: list[list[float]]
    model: str
    object: Literal["scoring"] = "scoring"


class SglangEmbedding(BaseModel):
    object: Literal["embedding"] = "embedding"
    embedding: list[float]
    index: int


class SglangEmbeddingsAnswer(BaseModel):
    object: Literal["list"] = "list"
    data: list[SglangEmbedding]
    model: str
    usage: VllmUsage


def read(given: Texts) -> list[Question]:
    return [Classify(text, control=True) for text in texts(given)]


def next_tokens(body: SglangScoreBody) -> list[Question]:
    read = [item + body.query if body.item_first else body.query + item for item in texts(body.items)]
    return [Choices(text, tuple(body.label_token_ids), control=True) for text in read]


def render_classes(body: SglangClassifyBody, answers: list[Answer]) -> SglangClass | list[SglangClass]:
    """One object for one text, a list for a list."""
    found = [
        SglangClass(
            embedding=row_of(answer, activated=False),
            meta_info=SglangMetaInfo(id=new_id(), prompt_tokens=answer.tokens, weight_version=str(answer.weights)),
        )
        for answer in answers
    ]
    return found[0] if isinstance(body.text, str) else found


def render_scores(body: SglangScoreBody, name: str, answers: list[Answer]) -> SglangScoreAnswer:
    """Probabilities among all tokens, or with ``apply_softmax`` among those asked for."""
    logprobs = [answer.rows[0] for answer in answers]
    if body.apply_softmax:
        scores = [activation(row) if len(row) > 1 else [1.0] for row in logprobs]
    else:
        scores = [list(map(math.exp, row)) for row in logprobs]
    return SglangScoreAnswer(scores=scores, model=name)


def render_embeddings(name: str, answers: list[Answer]) -> SglangEmbeddingsAnswer:
    data = [
        SglangEmbedding(embedding=row_of(answer, activated=False), index=index) for index, answer in enumerate(answers)
    ]
    return SglangEmbeddingsAnswer(data=data, model=name, usage=VllmUsage.of(answers))
