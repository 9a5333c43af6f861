"""What the pages of comparisons show."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from app.audits.samples import Shown
from app.pages.sample.views import ShownSample
from trueward.errors import Problem
from trueward.wire.audit import AuditState, AuditSummary, Figure, Table
from trueward.wire.base import Wire
from trueward.wire.recipe import RecipeChange

Way = Literal["gained", "lost"]


class CompareForm(Wire):
    """What a comparison is started with: texts as a form sends them, empty where nothing was said."""

    before: str = Field("verifier:math", max_length=400, description="`verifier:<name>` or `recipe:<name>`")
    before_version: str = Field("", max_length=200)
    before_params: str = Field("", max_length=20_000)
    judge: str = Field("verifier:math", max_length=400)
    version: str = Field("", max_length=200, description="the beginning of a recipe's hash")
    params: str = Field("", max_length=20_000)
    threshold: str = Field("", max_length=40)
    run: str = Field("", max_length=512)
    split: Literal["", "train", "eval"] = ""
    limit: str = Field("", max_length=10)
    name: str = Field("", max_length=256)


class CompareView(Wire):
    comparisons: list[AuditSummary]
    next: str | None = Field(description="path of the next page; null on the last")
    open: bool
    form: CompareForm
    verifiers: list[str]
    recipes: list[str]
    runs: list[str] = Field(description="the newest")
    problem: Problem | None = None


class FlippedSample(Wire):
    """One sample then and now; a record that the ledger does not have any more is null, as is ``told`` of a sample that
    is too long to be read whole."""

    before_record: str
    after_record: str
    before: Shown | None
    after: Shown | None
    told: ShownSample | None


class FlipList(Wire):
    """One way of the flips: ``count`` of them, ``listed`` by the report."""

    way: Way
    title: str
    count: int
    listed: int
    path: str
    flips: list[FlippedSample]


class FlipCounts(Wire):
    """As in the audit's findings: ``gained`` are now accepted, ``lost`` now rejected, ``items`` have a verdict both
    times; McNemar's two-sided p, exact and mid-p. ``change`` of the accepted share with its interval."""

    gained: int
    lost: int
    items: int
    exact: float
    mid: float
    change: float | None = None
    interval: tuple[float, float] | None = None
    note: str = ""


class ComparisonView(Wire):
    id: str
    title: str
    before: str
    after: str
    state: AuditState
    done: int
    total: int
    failure: str | None
    finished_at: datetime | None
    facts: list[tuple[str, str]]
    level: float
    versions: dict[str, list[str]]
    notes: list[str]
    counted: FlipCounts | None
    labelled: FlipCounts | None = Field(description="the same of being right, over the labelled samples")
    ways: list[FlipList]
    figures: list[Figure]
    tables: list[Table]
    recipe: str | None = Field(description="hash of the recipe that was judged with; null for a verifier")
    runs: list[str] = Field(description="recent runs that another recipe is pinned in")


class FlipsView(Wire):
    """One page of the flips one way."""

    audit: str
    flips: FlipList
    next: str | None = Field(description="path of the next page; null on the last")


class PromoteForm(Wire):
    """Exactly one of ``run`` and ``name``; the reason is kept with the run's mark."""

    run: str = Field("", max_length=512)
    name: str = Field("", max_length=200)
    reason: str = Field("", max_length=1000)


class PromotionView(Wire):
    """What would change: the pin of a run, or what a name stands for.

    ``changes`` is null where the content of before is not at hand.
    """

    audit: str
    target: Literal["run", "name"]
    name: str
    before: str | None
    after: str
    recipe: str = Field(description="the name of what is promoted")
    already: bool
    changes: list[RecipeChange] | None
    problem: Problem | None = None
