"""What the doctor says of a run, on the wire: what is wrong with its set-up, the most costly first."""

from __future__ import annotations

from pydantic import Field

from trueward.wire.base import Wire


class ExtractionEstimate(Wire):
    """Recorded samples judged again with another ``extract``, beside what their records say; nothing is recorded."""

    extract: str = Field(description="the parameter with which they were judged again")
    judged: int = Field(description="samples that have a verdict both times")
    answers_before: int = Field(description="of them had an answer")
    answers: int = Field(description="of them have one now")
    paid_before: int = Field(description="of them had a score above 0")
    paid: int = Field(description="of them have one now")
    without_verdict: int = Field(description="samples that could not be judged again in time")


class RunFault(Wire):
    """One thing that is wrong. ``cost`` is the share of the records whose reward is lost, or teaches nothing, by it."""

    kind: str = Field(description="what it is, for programs")
    sentence: str = Field(description="what is wrong, with its share")
    advice: str = Field(description="what to change")
    count: int = Field(description="how many of `of` show it")
    of: int = Field(description="records, groups or prompts, as the sentence says")
    cost: float = Field(ge=0, le=1)
    records: list[str] = Field(description="up to three of the records that show it, newest first")
    estimate: ExtractionEstimate | None = None


class RunDiagnosis(Wire):
    """``records`` are the newest of the run's ``total``, without evaluations where there are others; faults stand by
    their cost, the highest first."""

    run: str
    records: int
    total: int
    sentence: str
    faults: list[RunFault]
    notes: list[str] = Field(default=[], description="what was not looked at, and why")
