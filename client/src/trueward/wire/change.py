"""What changed in a run at a step, on the wire: the responses from then on against those before."""

from __future__ import annotations

from pydantic import Field

from trueward.wire.base import Wire


class Rise(Wire):
    """Something that became more frequent. Shares are of the records that were compared; ``record`` is the first that
    has it, ``step`` that record's step."""

    what: str
    before: float
    after: float
    records: int = Field(description="records from the step on that have it")
    record: str
    step: int | None
    ending: str = Field("", description="at most the last 160 characters of that record's response")


class ResponseCluster(Rise):
    """Responses that are alike, most of them from the step on. ``what`` are words that most of them share; ``reward``
    is their mean."""

    reward: float | None


class RunChanges(Wire):
    """At most 250 records on either side of the step were compared, of as many groups as there are among the 2,000 next
    to it. Empty lists: nothing of the kind became more frequent than chance explains."""

    run: str
    since: int
    before: int = Field(description="records that were compared, of steps below `since`")
    after: int = Field(description="of `since` and later steps")
    reward_before: float | None
    reward_after: float | None
    reasons: list[Rise] = Field(description="outcomes with their reason codes")
    forms: list[Rise] = Field(description="forms of the answers, and of the responses' last lines")
    phrases: list[Rise] = Field(description="words in a row, numbers as `#`; the share of responses that have them")
    clusters: list[ResponseCluster]
