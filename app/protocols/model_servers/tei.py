"""text-embeddings-inference's ``/predict``, ``/rerank`` and ``/info``, requests and answers.

It serves one model; here ``model`` names one of several, in the body or (``/info``) the query. Nothing is cut on a
request's word (``truncate``): the model's entry says what becomes of a long text.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr

from app.protocols.model_servers.numbers import row_of
from app.protocols.model_servers.route import EMPTY
from judges.questions import Answer, Classify, Question
from trueward.errors import InvalidRequest

VERSION = "1.9.3"
"""The release whose protocol this is."""

Inputs = StrictStr | list[StrictStr] | list[list[StrictStr]]


class TeiBody(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: StrictStr | None = None
    raw_scores: StrictBool = False
    truncate: StrictBool | None = None
    truncation_direction: Annotated[
        Literal["left", "right", "Left", "Right"],
        Field(json_schema_extra={"x-enum-varnames": ["LEFT", "RIGHT", "CAPITAL_LEFT", "CAPITAL_RIGHT"]}),
    ] = "right"


class TeiPredictBody(TeiBody):
    """A text; a pair of texts, in one list; or a batch: a list of lists of one or two texts."""

    inputs: Inputs


class TeiRerankBody(TeiBody):
    query: StrictStr
    texts: list[StrictStr]
    return_text: StrictBool = False


class TeiPrediction(BaseModel):
    score: float
    label: str


class TeiRank(BaseModel):
    index: int
    score: float
    text: str | None = Field(None, exclude_if=lambda text: text is None)


class TeiLabels(BaseModel):
    id2label: dict[str, str]
    label2id: dict[str, int]


class TeiInfo(BaseModel):
    model_id: str
    model_sha: str | None
    model_dtype: str
    model_type: dict[Literal["classifier", "reranker"], TeiLabels]
    max_concurrent_requests: int
    max_input_length: int
    max_batch_tokens: int
    max_batch_requests: int | None = None
    max_client_batch_size: int
    auto_truncate: bool
    tokenization_workers: int = 1
    version: str = VERSION
    sha: str | None = None
    docker_label: str | None = None


def read(body: TeiPredictBody) -> list[Question]:
    """Raises :class:`InvalidRequest`."""
    if not body.inputs:
        raise _empty("inputs")
    if isinstance(body.inputs, str):
        return [_classify([body.inputs])]
    if isinstance(body.inputs[0], str):
        return [_classify([text for text in body.inputs if isinstance(text, str)])]
    return [_classify(one) for one in body.inputs if isinstance(one, list)]


def candidates(body: TeiRerankBody) -> list[Question]:
    if not body.texts:
        raise _empty("texts")
    return [Classify(body.query, text) for text in body.texts]


def render_predictions(body: TeiPredictBody, answers: list[Answer]) -> list[TeiPrediction] | list[list[TeiPrediction]]:
    """The likeliest label first; a batch is a list of lists."""
    found = [_predictions(answer, raw=body.raw_scores) for answer in answers]
    return found if isinstance(body.inputs, list) and isinstance(body.inputs[0], list) else found[0]


def render_ranks(body: TeiRerankBody, answers: list[Answer]) -> list[TeiRank]:
    """The best first."""
    ranks = []
    for index, answer in enumerate(answers):
        row = row_of(answer, activated=not body.raw_scores)
        if len(row) != 1:
            raise InvalidRequest(f"texts are ranked by models with one label, and this one has {len(row)}")
        ranks.append(TeiRank(index=index, score=row[0], text=body.texts[index] if body.return_text else None))
    return sorted(ranks, key=lambda rank: -rank.score)


def describe_labels(count: int) -> dict[Literal["classifier", "reranker"], TeiLabels]:
    """What kind a model with so many labels is."""
    names = {str(n): f"LABEL_{n}" for n in range(count)}
    labels = TeiLabels(id2label=names, label2id={name: int(n) for n, name in names.items()})
    return {"classifier": labels} if count > 1 else {"reranker": labels}


def _predictions(answer: Answer, *, raw: bool) -> list[TeiPrediction]:
    row = row_of(answer, activated=not raw)
    found = [TeiPrediction(score=score, label=f"LABEL_{n}") for n, score in enumerate(row)]
    return sorted(found, key=lambda one: -one.score)


def _classify(texts: list[str]) -> Question:
    if not texts or not all(texts):
        raise _empty("inputs")
    if len(texts) > 2:
        raise InvalidRequest(f"inputs: {len(texts)} texts are neither one nor a pair; a batch is a list of lists")
    return Classify(texts[0], texts[1]) if len(texts) == 2 else Classify(texts[0], control=True)


def _empty(field: str) -> InvalidRequest:
    detail = f"`{field}` cannot be empty"
    return InvalidRequest.at_field(field, EMPTY, detail)
