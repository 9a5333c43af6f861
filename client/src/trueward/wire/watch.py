"""Watches on the wire: what is looked at in a run's stream, what was found, alarms, frozen recipes.

A signal with the threshold null is off.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StrictStr

from trueward.wire.base import Number, Wire
from trueward.wire.webhook import WebhookFields

SignalName = Literal[
    "invalid",
    "missing",
    "score_drift",
    "length_drift",
    "false_positives",
    "false_negatives",
    "reward_without_accuracy",
    "collapse",
    "saturation",
    "correlation",
    "zero_variance",
    "shared_answer",
    "canary",
    "distinct_answers",
    "constant_component",
    "wrong_references",
]
Share = Annotated[Number, Field(ge=0, le=1)]
Some = Annotated[Number, Field(gt=0, le=1)]


class ShareRise(Wire):
    """A share that is surely above what it was, and by more than ``rise``; or surely above ``limit``."""

    rise: Share
    limit: Share | None = None


class InvalidShare(ShareRise):
    """``ShareRise`` with the defaults of ``invalid``: it is the policy's own doing, and falls while a policy learns the
    form of an answer, but where nine in ten responses cannot be judged there is next to nothing to learn from."""

    rise: Share = 0.05
    limit: Share | None = 0.9


class MissingShare(ShareRise):
    """``ShareRise`` with the defaults of missing scores: they are ours, and 1% of them is too many from the start."""

    rise: Share = 0.005
    limit: Share | None = 0.01


class Drift(Wire):
    """A population stability index above ``psi``, and above what windows of that size reach by chance; or a mean (of
    lengths: of their logarithms) that leaves its trend by ``shift`` standard deviations of a record, step by step."""

    psi: Annotated[Number, Field(gt=0)]
    shift: Annotated[Number, Field(gt=0)] = 0.2


class AuditedRate(Wire):
    """The error rate among the labels of the latest steps (at most ``labels``) is surely above what it was, and by more
    than ``rise``; or surely above ``limit``."""

    rise: Share = 0.05
    limit: Share | None = None
    labels: int = Field(default=200, ge=20, le=10_000)


class RewardWithoutAccuracy(Wire):
    """The reward rose by ``rise`` of its range or more, audited accuracy by ``slack`` at most, and surely by less."""

    rise: Some = 0.1
    slack: Share = 0.05
    labels: int = Field(default=200, ge=20, le=10_000)


class Collapse(Wire):
    """Of recipes that need no label.

    Audited accuracy lies ``drop`` under its best for ``windows`` windows while the reward fell by ``slack`` at most; or
    the answers' entropy is below ``entropy`` of the base's while the reward did not fall; or the median response has
    under ``length`` of the base's length.
    """

    drop: Share = 0.05
    windows: int = Field(default=3, ge=1, le=100)
    slack: Share = 0.02
    entropy: Share = 0.1
    length: Share = 0.5


class Saturation(Wire):
    """Of recipes that need no label: the mean reward reached ``share`` of its ceiling."""

    share: Some = 0.95


class Correlated(Wire):
    """The interval of the correlation of reward and gold label lies below that of the base."""

    labels: int = Field(default=200, ge=20, le=10_000)
    level: Annotated[Number, Field(gt=0.5, lt=1)] = 0.999


class ZeroVariance(Wire):
    """Surely more than ``limit`` of the groups have equal rewards: there is nothing to learn from."""

    limit: Share = 0.9


class SharedAnswer(Wire):
    """One answer of at least ``length`` characters for ``share`` of the latest steps' prompts or more, and for
    ``prompts`` at least."""

    share: Some = 0.1
    prompts: int = Field(default=5, ge=2)
    length: int = Field(default=8, ge=1)


class Canaries(Wire):
    """More than ``limit`` canaries were accepted. ``threshold``: the reward from which on that is an acceptance, where
    verdicts have no pass line."""

    limit: int = Field(default=0, ge=0)
    threshold: Number | None = None


class DistinctAnswers(Wire):
    """The mean share of a group's answers that differ falls by more than ``fall`` below its trend."""

    fall: Some = 0.1


class ConstantComponent(Wire):
    """A verifier's scores, or the rewards, that were the same in every record of the run, at least ``records``."""

    records: int = Field(default=512, ge=32)


class WrongReferences(Wire):
    """Of the groups with a response that was labelled right, the share in which none was accepted is surely above what
    it was, and by more than ``rise``; or surely above ``limit``."""

    rise: Share = 0.03
    limit: Share | None = 0.01


class Signals(Wire):
    invalid: InvalidShare | None = InvalidShare()
    missing: MissingShare | None = MissingShare()
    score_drift: Drift | None = Drift(psi=0.25)
    length_drift: Drift | None = Drift(psi=0.5)
    false_positives: AuditedRate | None = AuditedRate()
    false_negatives: AuditedRate | None = AuditedRate()
    reward_without_accuracy: RewardWithoutAccuracy | None = RewardWithoutAccuracy()
    collapse: Collapse | None = Collapse()
    saturation: Saturation | None = Saturation()
    correlation: Correlated | None = Correlated()
    zero_variance: ZeroVariance | None = ZeroVariance()
    shared_answer: SharedAnswer | None = SharedAnswer()
    canary: Canaries | None = Canaries()
    distinct_answers: DistinctAnswers | None = DistinctAnswers()
    constant_component: ConstantComponent | None = ConstantComponent()
    wrong_references: WrongReferences | None = WrongReferences()


class Looking(Wire):
    """How a run is looked at.

    ``base`` names the run that it is compared with; without one its own first ``base_windows`` windows are. A window
    has whole steps, together at least ``window`` records; without steps it has ``window`` records. Of a run with more
    than ``limit`` records the first quarter of so many and the latest three quarters are read. ``false_alarms`` is the
    chance, at most about that, that a clean run ever alarms; the signals that are on share it.
    """

    base: StrictStr | None = Field(default=None, min_length=1, max_length=256)
    window: int = Field(default=256, ge=16, le=100_000)
    base_windows: int = Field(default=4, ge=1, le=50)
    limit: int = Field(default=20_000, ge=100, le=200_000)
    false_alarms: Annotated[Number, Field(gt=1e-6, lt=0.5)] = 0.01
    signals: Signals = Signals()


class Finding(Wire):
    """What a signal found. ``cause`` tells findings of one signal apart; steps and ``windows`` are those that show it.

    ``record`` is the last record of these. ``found_step``: at the end of which step it was found first, where a test is
    made after every step.
    """

    signal: SignalName
    cause: str
    detail: str
    value: float
    limit: float | None
    first_step: int | None
    last_step: int | None
    windows: int
    record: str
    found_step: int | None = None


class WatchWindow(Wire):
    """A window of the stream. ``base``: the others are compared with it. Shares are of its records; None where there
    is nothing to say. ``accuracy`` is that of its labelled records, ``entropy`` the mean over groups in nats."""

    first_step: int | None
    last_step: int | None
    records: int
    base: bool
    reward: float | None
    length: float | None = Field(description="mean characters of a response")
    causes: dict[str, float] = Field(description="share of each `invalid: ...` and `missing: ...`")
    zero_variance: float | None
    accepted: float | None
    entropy: float | None
    labels: int
    accuracy: float | None


class SeriesChange(Wire):
    """A change point of a series of window means: from ``window`` on it was ``after``, until then ``before``.

    A trend is found as steps: a change is no alarm by itself.
    """

    series: str
    window: int
    step: int | None
    before: float
    after: float
    p_value: float


Action = Literal["alarm", "freeze"]


class WatchRequest(Looking, WebhookFields):
    """``run`` is a run, or with ``*`` at its end all runs that begin so (the 50 latest). Every ``every_s`` seconds runs
    with new records or labels are looked at. ``freeze`` refuses the recipe of a run with an alarm; ``webhook`` is
    posted each new alarm, signed with ``webhook_secret``."""

    run: StrictStr = Field(min_length=1, max_length=256)
    every_s: Annotated[Number, Field(ge=1, le=86_400)] = 60.0
    action: Action = "alarm"


HIDDEN = "whsec_***"
"""What is shown of a secret."""


class Watch(WatchRequest):
    """A watch as it is stored; of the webhook only the host is shown, of a secret that there is one. ``failure`` says
    why it could not look last."""

    webhook_secret: str | None = None
    name: str
    owner: str | None = None
    created_at: datetime
    evaluated_at: datetime | None = None
    failure: str | None = None


class Watches(Wire):
    watches: list[Watch]


AlarmState = Literal["open", "closed"]


class Alarm(Wire):
    """One open alarm a run, signal and cause. ``seen`` counts the evaluations that found it; ``webhook`` is how the
    latest try to post it went (None: there is no webhook, or no try yet)."""

    id: str
    watch: str
    run: str
    recipe: str | None
    state: AlarmState
    finding: Finding
    first_seen: datetime
    last_seen: datetime
    seen: int
    webhook: str | None = None
    closed_at: datetime | None = None
    closed_by: str | None = None
    close_reason: str | None = None


class AlarmPage(Wire):
    alarms: list[Alarm] = Field(description="newest first")
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


class Power(Wire):
    """How soon a fault of the size would be found in this run, with its steps as large and as often labelled as they
    are: within about ``steps`` steps, or (None) not within ``MOST_STEPS``. ``fault`` says it in words."""

    signal: SignalName
    fault: str
    steps: int | None


MOST_STEPS = 256
"""Steps beyond which a fault counts as not found."""

WatchState = Literal["alarm", "clear", "waiting", "unwatched"]
"""``alarm``: one is open. ``clear``: a watch looked, and none is. ``waiting``: a watch covers the run and has not
looked yet, or could not. ``unwatched``: nothing is watching."""


class WatchStatus(Wire):
    """What watches a run, and what that says. ``looked_at`` is when a watch looked last, at ``records`` records until
    ``step``; ``sentence`` says all of it in words."""

    run: str
    state: WatchState
    sentence: str
    watches: list[str] = Field(default=[], description="names of the watches that cover the run")
    alarms: list[Alarm] = Field(default=[], description="the open ones, newest first; at most 50")
    looked_at: datetime | None = None
    records: int = 0
    step: int | None = None
    power: list[Power] = Field(default=[])
    notes: list[str] = Field(default=[])


class WatchReport(Wire):
    """``left_out`` records between the first and the latest were not read; ``notes`` say what was not looked at.
    ``status`` says whether something watches the run by itself: this report was asked for."""

    run: str
    base: str | None
    recipe: str | None
    records: int
    left_out: int
    last_step: int | None = None
    canaries: int
    windows: list[WatchWindow]
    findings: list[Finding]
    changes: list[SeriesChange]
    power: list[Power] = Field(default=[])
    status: WatchStatus | None = None
    notes: list[str] = Field(default=[])


class FreezeReason(Wire):
    reason: StrictStr = Field(min_length=1, max_length=1000)


class Freeze(Wire):
    """A recipe whose rewards are refused, until it is lifted. ``alarm`` is None where somebody did it by hand."""

    id: str
    recipe: str
    reason: str
    alarm: str | None
    owner: str | None
    created_at: datetime
    lifted_at: datetime | None = None
    lifted_by: str | None = None
    lift_reason: str | None = None


class Freezes(Wire):
    freezes: list[Freeze] = Field(description="newest first, those that were lifted too")
