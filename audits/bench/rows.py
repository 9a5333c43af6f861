"""Rows of a benchmark, checked: what is wrong with one is said with its number and its field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictInt, StrictStr, ValidationError

from trueward.errors import PLAIN_FINDINGS, FieldProblem, InvalidRequest
from trueward.wire.sample import Message, Sample

RawRows = Sequence[Mapping[str, JsonValue]]
_LONGEST_SECTION = 256
Section = Annotated[StrictStr, Field(max_length=_LONGEST_SECTION)]
_SHOWN = 20
_NAME = 100
_SECTIONS = 200
UNNAMED = "(none)"


class BenchRow(BaseModel):
    """What the rows of all formats have. Fields that a format does not know are left unread (``unread``).

    ``split`` tells a shifted part of the benchmark from the rest; ``data_source`` is what recipes route by. Each of
    ``domain`` and ``data_source`` is the other's default.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    id: StrictStr | StrictInt | None = None
    domain: Section = UNNAMED
    split: Section | None = None
    reference: JsonValue = None
    data_source: StrictStr | None = None
    metadata: dict[StrictStr, JsonValue] | None = None

    def sample(
        self, prompt: str | list[Message] | None, response: str, reference: JsonValue = None, **fields: JsonValue
    ) -> Sample:
        """A sample with what the row says of all its responses; ``fields`` are added to its metadata."""
        return Sample(
            prompt=prompt,
            response=response,
            reference=self.reference if reference is None else reference,
            data_source=self.domain if self.data_source is None else self.data_source,
            metadata={**(self.metadata or {}), **fields} or None,
        )


class PromptRow(BenchRow):
    """A row about one prompt."""

    prompt: StrictStr | list[Message]


R = TypeVar("R", bound=BenchRow)


def read(kind: type[R], rows: RawRows) -> list[R]:
    """Raises :class:`InvalidRequest` that names each wrong row, counted from 1, and its field."""
    found: list[R] = []
    problems: list[FieldProblem] = []
    for place, row in enumerate(rows):
        try:
            found.append(kind.model_validate(row))
        except ValidationError as refusal:
            problems += _problems(place, refusal, list(row))
    refuse(problems)
    found = _name_domains(found)
    for field, values in (("domain", {row.domain for row in found}), ("split", {row.split for row in found})):
        if len(values) > _SECTIONS:
            raise InvalidRequest(f"the rows name {len(values)} values of {field}; at most {_SECTIONS} can be reported")
    return found


def _name_domains(rows: list[R]) -> list[R]:
    """Their data sources are their domains where no row names one, and these can be reported."""
    sources = {row.data_source or UNNAMED for row in rows}
    if any("domain" in row.model_fields_set for row in rows) or len(sources) > _SECTIONS:
        return rows
    if max(map(len, sources), default=0) > _LONGEST_SECTION:
        return rows
    return [row.model_copy(update={"domain": row.data_source or UNNAMED}) for row in rows]


def problem(place: int, field: str, code: str, detail: str) -> FieldProblem:
    """What is wrong with a field of the row at this place, counted from 0."""
    return FieldProblem(field=f"rows.{place}.{field}", code=code, detail=f"row {place + 1}: {field}: {detail}")


def refuse(problems: Sequence[FieldProblem]) -> None:
    """Raises :class:`InvalidRequest` where there are any."""
    if problems:
        more = f"; {len(problems) - 1} more problems" if len(problems) > 1 else ""
        raise InvalidRequest(f"{problems[0].detail}{more}", errors=list(problems[:_SHOWN]))


def list_unread_fields(kind: type[BenchRow], rows: RawRows) -> list[str]:
    """Names of fields that rows have and the format does not know, at most twenty."""
    names = dict.fromkeys(name for row in rows for name in row if name not in kind.model_fields)
    return [name[:_NAME] for name in names][:_SHOWN]


def _problems(place: int, refusal: ValidationError, names: Sequence[str]) -> list[FieldProblem]:
    """One a field. Where one is missing the names that the row has are told: it may be there under another."""
    found: dict[str, FieldProblem] = {}
    for item in refusal.errors():
        # a row of ours is flat: what follows the field's name in a location are branches of unions and places in lists
        field = str(item["loc"][0]) if item["loc"] else "row"
        detail = PLAIN_FINDINGS.get(item["type"]) or item["msg"].removeprefix("Value error, ")
        if item["type"] == "missing":
            detail += f" (the row has {', '.join(name[:_NAME] for name in names[:_SHOWN]) or 'nothing'})"
        found.setdefault(field, problem(place, field, item["type"], detail))
    return list(found.values())
