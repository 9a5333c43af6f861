"""What the explorer and the page of a sample show."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, JsonValue

from app.pages.playground.views import Choice, SampleCalls
from app.pages.sample.views import ShownSample
from app.verdicts.filters import LedgerFilters
from trueward.errors import Problem
from trueward.wire.base import Wire
from trueward.wire.label import Label
from trueward.wire.record import Explanation, RewardDetail, RewardRecord, VerdictDetail, VerdictRecord
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome, Verdict


class LedgerRow(Wire):
    """A record on one line. ``score`` is a verdict's score or a reward's reward. ``excerpt`` begins the response,
    ``length`` is the response's in characters."""

    record: str
    created_at: datetime
    by: str = Field(description="verifier or recipe")
    version: str = Field(description="of the verifier, or the recipe's content hash")
    outcome: Outcome
    score: float | None
    reason_code: str
    reason: str
    run: str | None
    step: int | None
    group: str | None
    split: str
    policy: str | None
    excerpt: str
    extracted: str | None = Field(None, description="the answer that was taken out of the response")
    reference: str | None = Field(None, description="its first 200 characters")
    length: int | None = None


class LedgerView(Wire):
    """``count`` is 1,001 for more than 1,000, null where counting would take a search.

    ``searched``: how many rows were looked at where the search ended before the page was full; ``older`` goes on.
    ``problem``: why nothing was looked for, or was done with what was found.
    """

    filters: LedgerFilters
    form: dict[str, str] = Field(description="the form's fields as they were sent")
    rows: list[LedgerRow] = Field(description="newest first, or oldest")
    oldest: bool = Field(False, description="the oldest record stands first")
    turned: str = Field("", description="path of the same in the other order")
    count: int | None
    searched: int | None = None
    search: str = Field("", description="the filters, for the address of a record: its page goes on in the search")
    newest: str | None = Field(None, description="path of the first page, from any other")
    newer: str | None = Field(None, description="path of the page before")
    older: str | None = Field(None, description="path of the next page")
    audit: str = Field("", description="path of an audit's form, filled with what was searched; empty without a judge")
    problem: Problem | None = None
    verifiers: list[str]
    recipes: list[str]
    runs: list[str] = Field(description="those seen last")


class ScoredStep(Wire):
    """Characters ``start`` to before ``end`` of the policy's text; ``level`` from 0, the worst, to 4."""

    start: int
    end: int
    score: float
    level: int


class StepScores(Wire):
    """What one producer thought of the parts of the response."""

    by: str
    steps: list[ScoredStep]


class EvidenceTable(Wire):
    """A list in the evidence, one line an entry: tests, criteria, steps."""

    name: str
    columns: list[str]
    rows: list[list[JsonValue]]
    more: int = Field(0, description="entries that are not shown")


class TitledVerdict(Wire):
    """A verdict under the name and version of who said it."""

    title: str
    verdict: Verdict


class Mate(Wire):
    """A member of the same group; ``record`` is its verdict's or reward's."""

    record: str
    id: str | None
    outcome: Outcome
    score: float | None
    answer: str | None = Field(description="what a verifier read out of the response")
    excerpt: str = Field(description="the beginning of what follows the thinking")
    here: bool = Field(description="the record that the page is of")


class JudgedAgain(Wire):
    """Judged again now: ``then`` is what the page's record said."""

    judge: str
    then: Verdict | Reward
    now: Verdict | Reward
    made_then: str = Field(description="verifier with its version, or recipe with its hash")
    made_now: str


class Beside(Wire):
    """The records before and after one in a search, whose ``query`` their addresses hold."""

    words: str = Field(description="what is searched for")
    query: str = ""
    newer: str | None = Field(None, description="path of the record before")
    older: str | None = Field(None, description="path of the record after")
    back: str = Field(description="path of the search")


class SampleView(Wire):
    """``arithmetic`` is that of ``priced``, the reward of this record or that this verdict went into."""

    detail: VerdictDetail | RewardDetail
    beside: Beside
    told: ShownSample
    answer: str = Field(description="the policy's own text, which spans are places of")
    marked: list[StepScores]
    said: list[TitledVerdict] = Field(description="the record's verdict, or those that its reward was made of")
    verdicts: list[VerdictRecord] = Field(description="of the same content, newest first, in any run")
    rewards: list[RewardRecord] = Field(description="of the same content, newest first, in any run")
    more: bool = Field(description="there are further verdicts or rewards")
    arithmetic: Explanation | None = None
    unexplained: str = Field("", description="why there is no arithmetic")
    late: bool = Field(False, description="there is one, with ?whole=true, but it takes seconds")
    labels: list[Label]
    mates: list[Mate] = Field(description="of the same group, run and step, in the order they were made")
    verifiers: list[Choice]
    recipes: list[Choice]
    judge: str = Field(description="what the form chooses first")
    calls: SampleCalls
    annotator: str | None = Field(None, description="who labels here; empty where not known, null for who may not")
    again: JudgedAgain | None = None
    problem: Problem | None = None
