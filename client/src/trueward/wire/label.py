"""Labels on the wire: what somebody says of a response, and where that came from.

A label speaks of a sample's content, so it holds for every verdict on that content, whichever version made it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StrictBool, StrictStr, model_validator

from trueward.wire.base import Number, Wire

Share = Annotated[Number, Field(ge=1e-12, le=1)]
"""One over a smaller probability is a weight beyond all others, or beyond the range of a number."""
Score = Annotated[Number, Field(ge=-1e300, le=1e300)]


class LabelRequest(Wire):
    """One label. ``record`` (the ledger's, of a verdict or reward) or ``sample`` (the content's fingerprint) says
    of what; exactly one of them. ``right`` is None where the annotator cannot tell.

    ``probability`` is that with which the item was drawn for labelling; None: nobody drew it, it was chosen.
    """

    record: StrictStr | None = None
    sample: StrictStr | None = None
    right: StrictBool | None = Field(description="whether the response is truly right; null: cannot tell")
    score: Score | None = Field(default=None, description="a gold score, where there is more than right and wrong")
    annotator: StrictStr = Field(default="", max_length=256)
    source: StrictStr = Field(default="human", min_length=1, max_length=256, description="such as human, oracle")
    note: StrictStr = Field(default="", max_length=10_000)
    probability: Share | None = None
    reference: JsonValue = Field(default=None, description="the right reference, where the sample's is wrong")

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        if (self.record is None) == (self.sample is None):
            raise ValueError("a label names a record or a sample, exactly one of them")
        return self


class Label(Wire):
    """A label as it is stored. ``after_reveal``: its annotator had seen the verdicts by then; an audit leaves it out.

    ``draw`` and ``position`` name the queue's item that it answers.
    """

    id: str
    sample: str
    record: str | None
    right: bool | None
    score: float | None
    annotator: str
    source: str
    note: str
    probability: float | None
    reference: JsonValue
    draw: str | None
    position: int | None
    after_reveal: bool
    owner: str | None
    created_at: datetime


LabelFormat = Literal["jsonl", "csv", "label_studio"]


class LabelsRequest(Wire):
    """What ``POST /v1/labels`` takes."""

    labels: list[LabelRequest] = Field(max_length=100_000)


class LabelsStored(Wire):
    """What became of an upload. ``known`` were there already, the same words of the same annotator, and are not stored
    twice; of those ``stored``, ``changed`` say otherwise than their annotator did before: both are kept."""

    stored: int
    known: int
    changed: int = 0


class LabelPage(Wire):
    labels: list[Label] = Field(description="newest first")
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


class CaseRequest(Wire):
    """Which verifier the contract case is for, and its parameters; None: those of the label's record."""

    verifier: StrictStr | None = None
    params: dict[StrictStr, JsonValue] | None = None


class ContractCase(Wire):
    """A contract case: ``line`` belongs at the end of ``file``. Cases are a contract, never an error rate."""

    verifier: str
    file: str
    line: str
