"""A label of an upload, with its place; and which labels are asked for."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, NamedTuple, Self

from pydantic import AwareDatetime, BaseModel, Field, JsonValue, StrictBool, StrictStr, ValidationError, model_validator

from trueward.errors import FieldProblem
from trueward.wire.label import LabelRequest

MOST = 100_000
"""Labels in one upload."""

LARGEST_POSITION = 2**31 - 1
_EARLIEST, _LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)


_MEANT = {
    "right": "right is true, false, or null where it cannot be told",
    "id": "an id is that of an exported label; leave it out, and name the record of a verdict, or a sample",
}
"""What is said of these fields whatever is wrong with them: files of samples have an id, too, and people write yes."""
_SAMPLE = (
    "this is a sample, not a label: have the service judge the samples first, and name the `record` of each verdict "
    "beside `right` (docs/labels.md, Labels that you have)"
)


class LabelLine(LabelRequest):
    """A label as somebody writes it, or as it was exported: then it has its ``id``, and stays what it was."""

    id: Annotated[StrictStr, Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$")] | None = None
    draw: StrictStr | None = None
    position: Annotated[int, Field(ge=0, le=LARGEST_POSITION)] | None = None
    after_reveal: StrictBool = False
    created_at: Annotated[AwareDatetime, Field(ge=_EARLIEST, le=_LATEST)] | None = None

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        if self.id is not None:
            if self.sample is None:
                raise ValueError("a label with an id was exported, and names its sample")
            return self
        if (self.record is None) == (self.sample is None):
            raise ValueError("a label names a record or a sample, exactly one of them")
        if self.draw is not None or self.position is not None or self.after_reveal:
            raise ValueError("draw, position and after_reveal belong to labels of the queue, which have an id")
        return self


class PlacedLabel(NamedTuple):
    """A label with its place in the upload: ``labels.3``, ``line 17``, ``task 5``; ``line`` counts from 1."""

    where: str
    line: int
    label: LabelLine

    def problem(self, code: str, detail: str) -> FieldProblem:
        return FieldProblem(field=self.where, code=code, detail=detail, line=self.line)


def parse_label(where: str, line: int, value: JsonValue) -> PlacedLabel | FieldProblem:
    """The label that a value stands for, or what is wrong with it."""
    if isinstance(value, dict) and "response" in value:
        return FieldProblem(field=where, code="sample_not_label", detail=_SAMPLE, line=line)
    try:
        return PlacedLabel(where, line, LabelLine.model_validate(value))
    except ValidationError as refusal:
        first = refusal.errors(include_url=False, include_input=False)[0]
        field = ".".join([where, *map(str, first["loc"])])
        detail = _MEANT.get(str(first["loc"][-1]) if first["loc"] else "", first["msg"].removeprefix("Value error, "))
        return FieldProblem(field=field, code=first["type"], detail=detail, line=line)


class LabelQuery(BaseModel):
    """Which labels; what is not named is not asked."""

    sample: str | None = None
    draw: str | None = None
    annotator: str | None = None
    source: str | None = None
