"""What the overview shows. Counts are since the start of this server; ``recent`` is the last ten minutes of them."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, TypeAdapter

from trueward.wire.base import Wire
from trueward.wire.watch import Alarm


class OutcomeRow(Wire):
    """``counts`` are verdicts by outcome, cached ones too."""

    verifier: str
    lane: str | None
    counts: dict[str, int]
    total: int
    cached: int


class Percentiles(Wire):
    """Seconds of work for one verdict, from a histogram: between two of its bounds they are interpolated. Null where
    there was no work."""

    count: int
    p50: float | None
    p90: float | None
    p99: float | None


class LatencyRow(Wire):
    """Of a verifier, or of all verifiers of a lane (``verifier`` is null)."""

    verifier: str | None
    lane: str | None
    recent: Percentiles
    since_start: Percentiles


class QueueRow(Wire):
    metric: str
    text: str
    value: float


class CauseRow(Wire):
    """``share`` is of all verdicts."""

    cause: str
    count: int
    share: float


class PulsePoint(Wire):
    """Rates since the point before, a second; ``missing`` is the share of null scores, null where there was no
    verdict."""

    at: datetime
    verdicts: float
    answers: float
    missing: float | None
    waiting: float


class OverviewView(Wire):
    at: datetime
    started_at: datetime = Field(description="when this server began to count")
    verdicts: int
    answers: int = Field(description="HTTP answers")
    missing: int = Field(description="null scores")
    verdicts_per_s: float = Field(description="over the last ten seconds or so")
    answers_per_s: float
    recent_verdicts: int
    recent_missing: int
    waiting: float = Field(description="samples admitted and not yet answered")
    outcomes: list[OutcomeRow]
    latencies: list[LatencyRow]
    queues: list[QueueRow]
    causes: list[CauseRow] = Field(description="of null scores, most frequent first")
    alarms: list[Alarm] | None = Field(description="the newest 20 that are open; null where the database cannot say")
    watching: str = Field(description="what watches the runs, in words; empty where the database cannot say")
    points: list[PulsePoint] = Field(description="oldest first")

    def points_json(self) -> str:
        """The series for the page's script."""
        return TypeAdapter(list[PulsePoint]).dump_json(self.points).decode()
