"""What the pages of audits show."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from app.audits.samples import Shown
from app.pages.audits.matrix import MatrixRow
from app.pages.audits.parts import PagePart
from app.pages.audits.rates import BigNumber
from app.pages.sample.views import ShownSample
from trueward.errors import Problem
from trueward.wire.audit import AuditReport, AuditState, AuditSummary
from trueward.wire.base import Wire


class AuditForm(Wire):
    """What an audit is started with: texts as a form sends them, empty where nothing was said."""

    kind: Literal["labelled", "metamorphic", "exploit", "consensus"] = "labelled"
    judge: str = Field("verifier:math", max_length=400, description="`verifier:<name>` or `recipe:<name>`")
    second: str = Field("", max_length=200, description="a verifier; of a consensus")
    third: str = Field("", max_length=200, description="a verifier; of a consensus")
    version: str = Field("", max_length=200)
    params: str = Field("", max_length=20_000, description="a JSON object; of verifiers")
    threshold: str = Field("", max_length=40)
    run: str = Field("", max_length=512)
    steps: str = Field("", max_length=40, description="a step, or a range such as `20-30`")
    split: Literal["", "train", "eval"] = ""
    limit: str = Field("", max_length=10, description="samples at most, of audits that judge anew")
    name: str = Field("", max_length=256)


class CorrectForm(Wire):
    """The recipe that is stored anew, corrected with an audit's rates."""

    recipe: str = Field(max_length=300)


class AuditRow(AuditSummary):
    """``numbers`` are the two error rates of a completed audit, false positives first; ``against`` is the verifier or
    recipe that was held for the truth where labels were not."""

    numbers: list[BigNumber]
    against: str | None


class AuditsView(Wire):
    """The newest audit of each kind and subject, or with a filter all of them, page by page."""

    audits: list[AuditRow]
    subject: str | None
    kind: str | None
    next: str | None = Field(description="path of the next page; null on the last")
    open: bool = Field(description="whether one of them is not done")
    form: AuditForm
    verifiers: list[str]
    recipes: list[str]
    runs: list[str] = Field(description="the newest")
    problem: Problem | None = None


class AuditView(Wire):
    """One audit on one screen. ``facts`` are what was audited, when, against what; ``report`` is null until it is done,
    and then the same as in the API's answer, but for ``findings``, figures and tables, which ``parts`` show."""

    id: str
    name: str
    what: str = Field(description="such as `Labelled audit of math`")
    subject: str
    kind: str
    state: AuditState
    done: int
    total: int
    failure: str | None
    created_at: datetime
    finished_at: datetime | None
    facts: list[tuple[str, str]]
    level: float
    limit: float = Field(description="what the rates are held against")
    numbers: list[BigNumber]
    versions: dict[str, list[str]]
    origins: dict[str, int] = Field(description="labels by where they came from")
    notes: list[str]
    matrix: list[MatrixRow]
    no_matrix: str
    parts: list[PagePart]
    report: AuditReport | None = Field(exclude=True)
    newest: dict[str, str] = Field(description="the newest completed audit of the subject, by kind")
    corrected: str = Field("", description="the verifier whose rates recipes can take from the audit; empty for none")
    correctable: list[str] = Field([], description="recipes that price the verifier whose rates the audit measured")
    problem: Problem | None = None


class CellSample(Shown):
    """``told`` is null for a sample that is too long to be read whole."""

    told: ShownSample | None


class CellView(Wire):
    """One page of the samples of a cell, newest first."""

    audit: str
    title: str
    cell: str
    count: int
    listed: int
    samples: list[CellSample]
    gone: list[str] = Field(description="records that the ledger does not have any more")
    next: str | None = Field(description="path of the next page; null on the last")
