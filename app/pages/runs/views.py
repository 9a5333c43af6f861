"""What the pages of runs show."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from app.runs.series import Grain
from trueward.audits import Figure
from trueward.types import Run, Wire
from trueward.watch import Alarm, WatchStatus


class PointRow(Wire):
    """Records in a row: a step, several, or a part of them. Shares are of the records, or of the named groups."""

    first_step: int | None
    last_step: int | None
    records: int
    score: float | None = Field(description="mean reward, or mean score of a run that was only verified")
    components: dict[str, float | None]
    missing: float
    causes: dict[str, float] = Field(description="share of each `invalid: ...` and `missing: ...`")
    groups: int
    zero_variance: float | None
    length: float | None = Field(description="mean characters of a few of the responses")
    policy: str | None = Field(description="the policy's version; null where none was named, or several were")


class SeriesView(Wire):
    priced: bool = Field(description="of rewards; else of verdicts")
    grain: Grain
    counted: int = Field(description="records in the points")
    total: int = Field(description="records of the run; of more than 200,000 that many")
    points: list[PointRow]
    figures: list[Figure]
    restless: bool = Field(description="the policy's version is another one at most points, and is not marked")


class MarkRow(Wire):
    """``kind`` is ``pin``, ``verifier_version`` or ``policy``; ``at`` is null where only the step is known."""

    kind: str
    text: str
    step: int | None
    at: datetime | None = None


class RunView(Wire):
    run: Run
    recipe_name: str | None
    series: SeriesView | None = Field(description="null: the ledger has no record of the run")
    marks: list[MarkRow]
    alarms: list[Alarm] = Field(description="the newest 50")
    status: WatchStatus = Field(description="what watches the run, and when it looked last")
    watch: str = Field(description="where the API looks at the run's stream now")
