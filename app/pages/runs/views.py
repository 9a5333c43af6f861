"""What the pages of runs show."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from app.pages.audits.views import AuditRow
from app.pages.runs.plots.figure import RunFigure
from app.runs.points import Ends
from app.runs.series import Grain
from trueward.wire.base import Wire
from trueward.wire.change import RunChanges
from trueward.wire.run import Run
from trueward.wire.watch import Alarm, Freeze, WatchStatus


class PointRow(Wire):
    """Records in a row: a step, several, or a part of them. Shares are of the records, or of the named groups."""

    first_step: int | None
    last_step: int | None
    path: str = Field(description="where its records are in the ledger")
    records: int
    score: float | None = Field(description="mean reward, or mean score of a run that was only verified")
    score_ends: Ends | None = Field(description="its 95% interval, clustered by prompt")
    components: dict[str, float | None]
    missing: float
    causes: dict[str, float] = Field(description="share of each `invalid: ...` and `missing: ...`")
    outcomes: dict[str, float] = Field(description="share of each outcome with its reason code")
    groups: int
    zero_variance: float | None
    length: float | None = Field(description="mean characters of the responses")
    policy: str | None = Field(description="the policy's version; null where none was named, or several were")


class PromptLine(Wire):
    """A prompt with its rate at each point of the run, null where it was not asked. ``path`` is its latest sample."""

    text: str
    path: str
    records: int
    rate: float
    rates: list[float | None]
    varies: bool


class PromptsView(Wire):
    """``passed``: rates are shares of correct responses, else mean scores."""

    passed: bool
    prompts: int
    never_right: int
    always_right: int
    worst: list[PromptLine]
    best: list[PromptLine]
    flat: list[PromptLine]


class SeriesView(Wire):
    priced: bool = Field(description="of rewards; else of verdicts")
    grain: Grain
    counted: int = Field(description="records in the points")
    evaluated: int = Field(description="records of evaluations, which are in no point")
    evaluations: str = Field(description="where they are listed")
    total: int = Field(description="records of the run; of more than 200,000 that many")
    points: list[PointRow]
    figures: list[RunFigure]
    prompts: PromptsView
    restless: bool = Field(description="the policy's version is another one at most points, and is not marked")


class MarkRow(Wire):
    """``kind`` is ``pin``, ``verifier_version``, ``model_reported`` or ``policy``; ``at`` is null where only the step
    is known."""

    kind: str
    text: str
    step: int | None
    at: datetime | None = None


class AlarmRow(Wire):
    """``samples`` are the records that it is about, ``sample`` the last that showed it."""

    alarm: Alarm
    samples: str
    sample: str


class Jump(Wire):
    """Where the mean reward changed most, as a change point of its series. ``steady``: a straight line tells the series
    better, so that no single step stands out."""

    step: int
    steady: bool
    before: float
    after: float
    p_value: float


class Twin(Wire):
    """The same prompt in both runs: their latest responses."""

    prompt: str
    ours: str
    theirs: str
    our_path: str
    their_path: str
    our_rate: float
    their_rate: float


class BesideView(Wire):
    """Another run laid over this one. ``missing``: the ledger has none of the name, or it has no records."""

    run: str
    path: str
    missing: bool
    twins: list[Twin]


class RunView(Wire):
    run: Run
    path: str = Field(description="of this page")
    recipe_name: str | None
    freeze: Freeze | None = Field(description="why the recipe's rewards are refused; null where they are not")
    series: SeriesView | None = Field(description="null: the ledger has no record of the run")
    jump: Jump | None
    since: int | None = Field(description="the step that responses are compared at, or that is proposed for it")
    changes: RunChanges | None = Field(description="what is new since then, where that was asked")
    beside: BesideView | None
    audits: list[AuditRow] = Field(description="the newest that measured how often the run was judged wrongly")
    labelled: list[str] = Field(description="of its verifiers those whose verdicts a label speaks of, or else all")
    others: list[str] = Field(description="runs of late, to be laid over this one")
    marks: list[MarkRow]
    alarms: list[AlarmRow] = Field(description="the newest 50")
    status: WatchStatus = Field(description="what watches the run, and when it looked last")
    watch: str = Field(description="where the API looks at the run's stream now")


class CloseForm(Wire):
    """Why an alarm is closed."""

    reason: str = Field(min_length=1, max_length=1000)


class FreezeForm(Wire):
    """A recipe is frozen, or the freeze is lifted; the page of ``run`` follows."""

    run: str = Field(max_length=256)
    recipe: str = Field(max_length=100)
    act: str = Field(pattern="freeze|lift")
    reason: str = Field(min_length=1, max_length=1000)


class DrawForm(Wire):
    """Twenty responses of a run are drawn, from a step on where one is named."""

    run: str = Field(max_length=256)
    verifier: str = Field(max_length=200)
    step: str = Field("", max_length=20)
