"""Audits on the wire: what is audited, how, and the report.

An audit runs in the service; its report is final, so its id stands for one set of error rates for good.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, StrictStr, field_validator, model_validator

from trueward.wire.base import Number, Wire
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Producer
from trueward.wire.webhook import WebhookFields

Interval = tuple[float, float]
AuditState = Literal["waiting", "running", "completed", "failed"]
Method = Literal["wilson", "clopper_pearson", "cluster_bootstrap", "horvitz_thompson"]
Level = Annotated[Number, Field(gt=0.5, le=1 - 1e-9)]
Seed = Annotated[int, Field(ge=0, le=2**53)]
Step = Annotated[int, Field(ge=0, le=2**53)]
Cell = str | int | float | None
GateBound = Literal["upper", "rate"]


class Subject(Wire):
    """What is audited: a verifier with its parameters, or a recipe; exactly one.

    ``version`` and ``params`` choose among stored verdicts (None: any); what judges anew has the version and the
    parameters (None: the defaults) of today. ``threshold``: a score, or a recipe's reward, from there on counts as an
    acceptance; without it the outcome decides, and a score without a pass line is no verdict.
    """

    verifier: StrictStr | None = None
    version: StrictStr | None = None
    params: dict[StrictStr, JsonValue] | None = None
    recipe: StrictStr | dict[StrictStr, JsonValue] | None = None
    threshold: Annotated[Number, Field(ge=-1e300, le=1e300)] | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.verifier is None) == (self.recipe is None):
            raise ValueError("a subject is a verifier or a recipe, exactly one of them")
        if self.recipe is not None and (self.version is not None or self.params is not None):
            raise ValueError("version and params belong to a verifier")
        return self

    @property
    def name(self) -> str:
        """``math``, ``math@2``, or ``recipe dapo``."""
        if self.verifier is not None:
            return self.verifier if self.version is None else f"{self.verifier}@{self.version}"
        named = self.recipe if isinstance(self.recipe, str) else (self.recipe or {}).get("name", "(inline)")
        return f"recipe {named}"


class Population(Wire):
    """Which of the ledger's records; what is not named is not asked. Records of audits are left out unless
    ``run`` names one."""

    run: StrictStr | None = None
    split: Split | None = None
    policy: StrictStr | None = None
    data_source: StrictStr | None = None
    first_step: Step | None = None
    last_step: Step | None = None
    since: datetime | None = None
    until: datetime | None = None

    @field_validator("since", "until")
    @classmethod
    def _in_utc(cls, moment: datetime | None) -> datetime | None:
        """A moment without a zone is UTC's."""
        if moment is None or moment.tzinfo is None:
            return None if moment is None else moment.replace(tzinfo=UTC)
        try:
            return moment.astimezone(UTC)
        except OverflowError as beyond:
            raise ValueError("a moment that no calendar has") from beyond


class LabelChoice(Wire):
    """Which labels; None: any. ``draw`` takes those of one draw, with its sampling probabilities."""

    sources: list[StrictStr] | None = None
    annotators: list[StrictStr] | None = None
    draw: StrictStr | None = None


class LabelledAudit(Wire):
    """Stored verdicts against labels, or against a second verifier (``against``) as an imperfect reference.

    ``by``: features to slice by: ``data_source``, ``policy``, ``split``, ``reason_code``, ``length`` (its band),
    ``language``, ``extracted`` (or the full response), or any entry of the evidence such as ``form`` and ``rule``.
    ``rates_by``: those that a recipe's rates are keyed by. ``lasting``: the rates of drawn labels hold however often
    somebody looks while labels come in, with wider intervals.
    """

    kind: Literal["labelled"] = "labelled"
    subject: Subject
    population: Population = Population()
    labels: LabelChoice = LabelChoice()
    against: Subject | None = None
    by: list[StrictStr] = Field(default=["data_source", "form", "length"])
    rates_by: list[StrictStr] = Field(default=[])
    guard: Literal["holm", "benjamini_hochberg"] = "holm"
    lasting: bool = False
    level: Level = 0.95
    seed: Seed = 0


class ConsensusAudit(Wire):
    """Error rates without gold: Dawid-Skene over three or more verifiers on the samples that they all judged."""

    kind: Literal["consensus"] = "consensus"
    subjects: list[Subject] = Field(min_length=2, max_length=20)
    population: Population = Population()
    smoothing: Annotated[Number, Field(ge=0)] = 0.01
    level: Level = 0.95


class GivenSamples(Wire):
    """Samples for an audit that judges anew: given here, or taken from the ledger (its distinct prompts)."""

    samples: list[Sample] | None = None
    population: Population | None = None
    limit: int = Field(default=200, ge=1, le=10_000, description="samples at most that are taken from the ledger")
    seed: Seed = 0


Given = GivenSamples
"""The name that pages showed before; accepted until 0.3."""


class MetamorphicAudit(Wire):
    """Label-free: rewrites of a reference that keep its meaning must be accepted, those that break it rejected.

    The samples need a reference; for code also a response that is right. ``transformations``: None means all that fit.
    """

    kind: Literal["metamorphic"] = "metamorphic"
    subject: Subject
    given: GivenSamples
    transformations: list[StrictStr] | None = None
    level: Level = 0.95


class ExploitGate(Wire):
    """The most hostile responses that a subject may accept, as a share: by the interval's upper end, or the rate."""

    max_accepted: Annotated[Number, Field(ge=0, le=1)]
    bound: GateBound = "upper"


class ExploitAudit(Wire):
    """Hostile responses that know nothing of the answer: each acceptance is a false one.

    ``probes``: names of probes or of their families; None means all. The controls are tried in any case. A judge
    that does not pass its ``gate`` is refused for training.
    """

    kind: Literal["exploit"] = "exploit"
    subject: Subject
    given: GivenSamples
    probes: list[StrictStr] | None = None
    gate: ExploitGate | None = None
    level: Level = 0.95


BenchFormat = Literal[
    "pairs", "best_of", "one_against_many", "style_grid", "ties", "two_orders",
    "contrast_swap", "principle_swap", "first_error", "verdicts",
]  # fmt: skip


class BenchAudit(Wire):
    """A benchmark of the user's own: rows of one format (docs/audits.md), scored by the subject."""

    kind: Literal["bench"] = "bench"
    subject: Subject
    format: BenchFormat
    rows: list[dict[StrictStr, JsonValue]] = Field(min_length=1)
    level: Level = 0.95
    seed: Seed = 0


class ReverifyAudit(Wire):
    """Stored samples judged again by ``subject``, against what ``before`` said of them then.

    Without a threshold of its own ``before`` has that of ``subject``. ``labels``: those that tell whether a change was
    for the better.
    """

    kind: Literal["reverify"] = "reverify"
    subject: Subject
    before: Subject
    population: Population = Population()
    labels: LabelChoice = LabelChoice()
    limit: int = Field(default=100_000, ge=1)
    level: Level = 0.95
    seed: Seed = 0

    @model_validator(mode="after")
    def _compares_like_with_like(self) -> Self:
        if (self.subject.verifier is None) != (self.before.verifier is None):
            raise ValueError("before and subject must both be verifiers or both be recipes: a score is no reward")
        return self


class PluginAudit(Wire):
    """An audit that a plug-in brings, which ``plugin`` names. What it does with the rest is its own affair."""

    kind: Literal["plugin"] = "plugin"
    plugin: StrictStr = Field(min_length=1, max_length=128)
    subject: Subject
    given: GivenSamples | None = None
    population: Population = Population()
    params: dict[StrictStr, JsonValue] = Field(default={})
    level: Level = 0.95


AuditSpec = Annotated[
    LabelledAudit | ConsensusAudit | MetamorphicAudit | ExploitAudit | BenchAudit | ReverifyAudit | PluginAudit,
    Field(discriminator="kind"),
]


class AuditRequest(WebhookFields):
    """What ``POST /v1/audits`` takes. ``name`` is for people; recipes and gates name the id."""

    name: StrictStr = Field(default="", max_length=256)
    audit: AuditSpec


class Estimate(Wire):
    """A rate by one method. ``errors`` of ``items``; both are weighted numbers under Horvitz-Thompson. ``rate`` and
    ``interval`` are None where there is nothing to estimate from. ``note`` says what to hold against it. ``claim``
    marks the one that gates go by, and recipes where responses were drawn."""

    method: Method
    rate: float | None
    errors: float
    items: float
    interval: Interval | None
    note: str = ""
    claim: bool = False


class Table(Wire):
    """For people: a report prints it, a page shows it. Shares are numbers in [0, 1]; ``shares`` names their columns."""

    title: str
    columns: list[str]
    rows: list[list[Cell]]
    shares: list[str] = Field(default=[])
    note: str = ""


class FigureLine(Wire):
    """Points of one line; ``low`` and ``high`` are its band, where it has one."""

    name: str
    x: list[float]
    y: list[float | None]
    low: list[float | None] | None = None
    high: list[float | None] | None = None


class Figure(Wire):
    """A plot. ``lines``: curves over x. ``bars``: each line is a point with its band, named; x is its place.
    ``matrix``: the rows of a confusion matrix as lines, named, y by column of ``labels``."""

    kind: Literal["lines", "bars", "reliability", "matrix"]
    title: str
    x: str = ""
    y: str = ""
    lines: list[FigureLine]
    labels: list[str] = Field(default=[])
    marks: list[tuple[float, str]] = Field(default=[], description="places on x to point at, such as an alarm")


class GateCheck(Wire):
    """One rate against its limit. ``value`` is what was compared (the interval's upper end, or the rate); None where
    the audit cannot say, which does not pass."""

    rate: Literal["false_positive", "false_negative"]
    limit: float
    value: float | None
    passed: bool
    method: Method | None
    reason: str


class GateReport(Wire):
    passed: bool
    bound: GateBound
    checks: list[GateCheck]


class AuditReport(Wire):
    """What an audit found. ``findings`` are its numbers, whose fields depend on the kind; ``tables`` and ``figures``
    show them to people.

    ``false_positives`` and ``false_negatives`` are the subject's rates by each method that applies, empty where the
    kind gives none; ``rates`` is what a recipe corrects with. ``origins`` counts the labels by their source;
    ``versions`` are those of the verifiers that judged, by name. ``gate`` is what came of the specification's gate,
    ``producer`` the verifier that was held against it, with its parameters' hash.
    """

    findings: dict[str, JsonValue]
    false_positives: list[Estimate] = Field(default=[])
    false_negatives: list[Estimate] = Field(default=[])
    rates: dict[str, JsonValue] | None = None
    origins: dict[str, int] = Field(default={})
    versions: dict[str, list[str]] = Field(default={})
    gate: GateReport | None = None
    producer: Producer | None = None
    tables: list[Table] = Field(default=[])
    figures: list[Figure] = Field(default=[])
    notes: list[str] = Field(default=[])


class Audit(Wire):
    """An audit: waiting, running (``done`` of ``total``), completed with its report, or failed and why."""

    id: str
    name: str
    spec: AuditSpec
    state: AuditState
    done: int = 0
    total: int = 0
    failure: str | None = None
    owner: str | None = None
    created_at: datetime
    finished_at: datetime | None = None
    report: AuditReport | None = None

    @property
    def ended(self) -> bool:
        return self.state in ("completed", "failed")


class AuditSummary(Wire):
    """An audit in a list: without specification and report."""

    id: str
    name: str
    kind: str
    subject: str
    state: AuditState
    done: int
    total: int
    failure: str | None
    created_at: datetime
    finished_at: datetime | None

    @property
    def ended(self) -> bool:
        return self.state in ("completed", "failed")


class AuditPage(Wire):
    audits: list[AuditSummary] = Field(description="newest first")
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")
