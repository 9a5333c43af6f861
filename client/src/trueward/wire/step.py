"""A run's numbers step by step, on the wire: what its rewards were, what was missing, which records to show."""

from __future__ import annotations

from pydantic import Field

from trueward.wire.base import Wire


class StepNumbers(Wire):
    """The records of one step, without those of evaluations where it has others. Means leave missing scores out."""

    step: int
    records: int
    reward: float | None = Field(description="mean reward, or mean score of a run that was only verified")
    components: dict[str, float | None] = Field(description="mean of each component, or of each verifier's scores")
    outcomes: dict[str, int] = Field(description="how many of each outcome")
    causes: dict[str, int] = Field(description="how many of each `invalid: ...` and `missing: ...`")
    groups: int = Field(description="groups that requests name, with several members")
    flat: int = Field(description="of them had equal rewards")
    length: float | None = Field(description="mean characters of a few of the responses")
    samples: list[str] = Field(description="a few records of the step, of different groups where it has some")
    age_s: float = Field(description="seconds since its last record was made: it may still be growing")


class StepPage(Wire):
    steps: list[StepNumbers] = Field(description="by step; records without one are left out")
    next: int | None = Field(default=None, description="`after` of the next page; null on the last")
