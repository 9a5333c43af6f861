"""vLLM's pooling paths: ``/classify``, ``/pooling``, ``/score`` and ``/rerank``, requests and answers.

Logits are the head's; ``use_activation`` (default true, as there) makes probabilities of them. The control tokens of a
text count, for clients send what a chat template made. Not covered: token ids and pictures as input, ``dimensions``,
cutting (``truncate_prompt_tokens``): the model's entry says what becomes of a long text.
"""

from __future__ import annotations

import base64
import struct
import time
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from app.kit.tokens import new_id
from app.protocols.model_servers.numbers import row_of
from judges.questions import Answer, Classify, Question, Steps, Turn
from trueward.errors import InvalidRequest
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Message

Texts = StrictStr | list[StrictStr]


class VllmBody(BaseModel):
    """What every body has; fields of theirs that change nothing here are ignored."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: StrictStr | None = None
    use_activation: StrictBool | None = None
    truncate_prompt_tokens: Annotated[None, Field(description="not done here: the entry says what is cut")] = None

    @model_validator(mode="before")
    @classmethod
    def _normalize_is_gone(cls, body: object) -> object:
        if isinstance(body, dict) and "normalize" in body:
            raise ValueError("Parameter `normalize` was removed; use `use_activation` instead.")
        return body

    @property
    def activated(self) -> bool:
        return self.use_activation is not False


class VllmClassifyBody(VllmBody):
    """``input`` or ``messages``."""

    input: Texts | None = None
    messages: list[Message] | None = Field(None, min_length=1)

    @model_validator(mode="after")
    def _one_of_them(self) -> VllmClassifyBody:
        if (self.input is None) == (self.messages is None):
            raise ValueError("either input or messages")
        return self


class VllmPoolingBody(VllmClassifyBody):
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: None = None


class VllmScoreBody(VllmBody):
    """Pairs under one of their four names; one text on the left goes with each on the right."""

    text_1: Texts | None = None
    text_2: Texts | None = None
    data_1: Texts | None = None
    data_2: Texts | None = None
    queries: Texts | None = None
    documents: Texts | None = None
    items: Texts | None = None


class VllmRerankBody(VllmBody):
    query: StrictStr
    documents: list[StrictStr]
    top_n: StrictInt = Field(0, ge=0)


class VllmUsage(BaseModel):
    prompt_tokens: int
    total_tokens: int
    completion_tokens: int = 0
    prompt_tokens_details: None = None

    @classmethod
    def of(cls, answers: list[Answer]) -> VllmUsage:
        count = sum(answer.tokens for answer in answers)
        return cls(prompt_tokens=count, total_tokens=count)


class VllmListed(BaseModel):
    """What the answers that are lists have in common."""

    id: str
    object: Literal["list"] = "list"
    created: int
    model: str
    usage: VllmUsage


class VllmClass(BaseModel):
    index: int
    label: str
    probs: list[float]
    num_classes: int


class VllmClassifyAnswer(VllmListed):
    data: list[VllmClass]


class VllmPooled(BaseModel):
    index: int
    object: Literal["pooling"] = "pooling"
    data: list[float] | list[list[float]] | str


class VllmPoolingAnswer(VllmListed):
    data: list[VllmPooled]


class VllmScore(BaseModel):
    index: int
    object: Literal["score"] = "score"
    score: float


class VllmScoreAnswer(VllmListed):
    data: list[VllmScore]


class VllmDocument(BaseModel):
    text: str


class VllmRank(BaseModel):
    index: int
    document: VllmDocument
    relevance_score: float


class VllmRankUsage(BaseModel):
    prompt_tokens: int
    total_tokens: int


class VllmRerankAnswer(BaseModel):
    id: str
    model: str
    usage: VllmRankUsage
    results: list[VllmRank]


def texts(given: Texts) -> list[str]:
    return [given] if isinstance(given, str) else given


def read(body: VllmClassifyBody) -> list[Question]:
    if body.messages is not None:
        return [Classify(tuple(Turn(message.role, message.text) for message in body.messages))]
    return [Classify(text, control=True) for text in texts(body.input or [])]


def read_steps(body: VllmClassifyBody, entry: ModelEntry) -> list[Question]:
    """The steps of the last message, each ended by the entry's separator."""
    if body.messages is None or entry.steps.style != "separator":
        raise InvalidRequest("a process reward model is asked with messages here, and reads at separators")
    *turns, last = [Turn(message.role, message.text) for message in body.messages]
    *steps, rest = last.content.split(entry.steps.separator)
    if rest.strip() or not steps:
        raise InvalidRequest(f"messages: the last one must end with a step's {entry.steps.separator!r}")
    return [Steps(tuple(turns), tuple(steps))]


def pairs(body: VllmScoreBody) -> list[Question]:
    named = [
        (body.text_1, body.text_2),
        (body.data_1, body.data_2),
        (body.queries, body.documents),
        (body.queries, body.items),
    ]
    found = [(texts(left), texts(right)) for left, right in named if left is not None and right is not None]
    if len(found) != 1:
        raise InvalidRequest("pairs come as text_1 and text_2, data_1 and data_2, queries and documents, or items")
    [(left, right)] = found
    left = left * len(right) if len(left) == 1 else left
    if len(left) != len(right):
        raise InvalidRequest(f"{len(left)} texts on the left cannot go with {len(right)} on the right")
    return [Classify(one, other) for one, other in zip(left, right, strict=True)]


def candidates(body: VllmRerankBody) -> list[Question]:
    return [Classify(body.query, document) for document in body.documents]


def render_classes(body: VllmClassifyBody, name: str, answers: list[Answer]) -> VllmClassifyAnswer:
    data = []
    for index, answer in enumerate(answers):
        row = row_of(answer, activated=body.activated)
        label = f"LABEL_{max(range(len(row)), key=row.__getitem__)}"
        data.append(VllmClass(index=index, label=label, probs=row, num_classes=len(row)))
    return VllmClassifyAnswer(id=_id("classify"), created=_now(), model=name, data=data, usage=VllmUsage.of(answers))


def render_pooling(body: VllmPoolingBody, name: str, answers: list[Answer], *, by_step: bool) -> VllmPoolingAnswer:
    found: list[list[float] | list[list[float]]] = []
    for answer in answers:
        if by_step:
            steps = [Answer((row,)) for row in answer.rows]
            found.append([row_of(step, activated=body.activated) for step in steps])
        else:
            found.append(row_of(answer, activated=body.activated))
    encoded = [_base64(one) if body.encoding_format == "base64" else one for one in found]
    data = [VllmPooled(index=index, data=one) for index, one in enumerate(encoded)]
    return VllmPoolingAnswer(id=_id("pool"), created=_now(), model=name, data=data, usage=VllmUsage.of(answers))


def render_scores(body: VllmScoreBody, name: str, answers: list[Answer]) -> VllmScoreAnswer:
    data = [VllmScore(index=index, score=_single(body, answer)) for index, answer in enumerate(answers)]
    return VllmScoreAnswer(id=_id("score"), created=_now(), model=name, data=data, usage=VllmUsage.of(answers))


def render_ranks(body: VllmRerankBody, name: str, answers: list[Answer]) -> VllmRerankAnswer:
    """The best first; all where ``top_n`` is 0."""
    results = [
        VllmRank(index=index, document=VllmDocument(text=text), relevance_score=_single(body, answer))
        for index, (text, answer) in enumerate(zip(body.documents, answers, strict=True))
    ]
    results.sort(key=lambda one: -one.relevance_score)
    count = sum(answer.tokens for answer in answers)
    usage = VllmRankUsage(prompt_tokens=count, total_tokens=count)
    return VllmRerankAnswer(id=_id("rerank"), model=name, usage=usage, results=results[: body.top_n or len(results)])


def _single(body: VllmBody, answer: Answer) -> float:
    row = row_of(answer, activated=body.activated)
    if len(row) != 1:
        raise InvalidRequest(f"pairs are scored by models with one label, and this one has {len(row)}")
    return row[0]


def _base64(found: list[float] | list[list[float]]) -> str:
    """As float32 in the machine's order, rows one after the other."""
    flat = [number for one in found for number in (one if isinstance(one, list) else [one])]
    return base64.b64encode(struct.pack(f"={len(flat)}f", *flat)).decode()


def _id(kind: str) -> str:
    return f"{kind}-{new_id()}"


def _now() -> int:
    return int(time.time())
