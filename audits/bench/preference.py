"""Rows of preference: responses to one prompt that should score high, and others that should score low."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pydantic import Field, field_validator

from audits.bench.case import Case
from audits.bench.rows import PromptRow, RawRows, problem, read, refuse
from trueward.errors import FieldProblem
from trueward.types import Sample


class PreferenceRow(PromptRow):
    """``{prompt, chosen, rejected, domain?, split?, reference?, id?, ...}``; a text is a list of one."""

    chosen: list[str] = Field(min_length=1)
    rejected: list[str] = Field(min_length=1)

    @field_validator("chosen", "rejected", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return [value] if isinstance(value, str) else value

    def samples(self, responses: Sequence[str]) -> list[Sample]:
        return [self.sample(self.prompt, response) for response in responses]


def preference_cases(rows: RawRows) -> list[Case]:
    """Chosen and rejected responses of each row."""
    read_rows = read(PreferenceRow, rows)
    return [
        Case.of(place, row, row.samples(row.chosen), row.samples(row.rejected)) for place, row in enumerate(read_rows)
    ]


def single_cases(rows: RawRows) -> list[Case]:
    """The same where exactly one response is chosen."""
    found = preference_cases(rows)
    refuse(list(_several(found)))
    return found


def _several(cases: Sequence[Case]) -> Iterator[FieldProblem]:
    for case in cases:
        if len(case.parts[0]) > 1:
            detail = f"this format has one chosen response a row, this row has {len(case.parts[0])}"
            yield problem(case.place, "chosen", "too_many", detail)
