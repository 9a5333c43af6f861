"""What the labelling pages show."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from app.pages.labelling.plan import LabellingPlan
from app.pages.sample.views import ShownSample
from trueward.errors import Problem
from trueward.wire.base import Wire
from trueward.wire.draw import DrawnVerdict, DrawRequest, DrawSummary, ItemState, LabelAgreement
from trueward.wire.label import Label

Part = Literal["prompt", "response", "reference"]


class LabellingProgress(Wire):
    """Items by state."""

    drawn: int
    done: int = 0
    skipped: int = 0
    left: int = 0

    @classmethod
    def of(cls, drawn: int, states: dict[ItemState, int]) -> LabellingProgress:
        done, skipped, left = (states.get(state, 0) for state in ("done", "skipped", "open"))
        return cls(drawn=drawn, done=done, skipped=skipped, left=left)


class DrawRow(Wire):
    """``subject`` is null for who may not view verdicts."""

    id: str
    name: str
    subject: str | None
    created_at: datetime
    progress: LabellingProgress

    @classmethod
    def of(cls, draw: DrawSummary, states: dict[ItemState, int], views: bool) -> DrawRow:
        progress = LabellingProgress.of(draw.drawn, states)
        subject = draw.subject if views else None
        return cls(id=draw.id, name=draw.name, subject=subject, created_at=draw.created_at, progress=progress)


class DrawsView(Wire):
    """``annotator`` is empty where it is not known yet."""

    annotator: str
    draws: list[DrawRow] = Field(description="newest first")
    next: str | None


class PlanView(Wire):
    plan: LabellingPlan
    subjects: list[str] = Field(description="`verifier:<name>` and `recipe:<name>`")
    runs: list[str] = Field(description="the newest")
    problem: Problem | None = None


class DrawView(Wire):
    """``spec``, ``notes`` and ``agreement`` are for who may view verdicts, for they tell what was said.

    ``waiting``: the annotator asked for an item, and there was none.
    """

    id: str
    name: str
    guidelines: str
    annotator: str
    progress: LabellingProgress
    annotators: dict[str, int] = Field(description="items that each has labelled")
    waiting: bool
    needed: int = Field(description="annotators that have to label an item until it is done")
    spec: DrawRequest | None
    notes: list[str]
    agreement: LabelAgreement | None


class SaidRow(Wire):
    """``differs``: it accepts what the label rejects, or the other way round; null where either does not say."""

    said: DrawnVerdict
    differs: bool | None


class DeskView(Wire):
    """One item. Until it is labelled nothing here tells what was said of the response, or why it was drawn.

    ``label`` is the annotator's first, ``thoughts`` those after it. ``known`` is the last of these, by id, and empty
    where there is none; a form sends it back. ``lapsed``: the hold has run out. ``note`` says what became of a form.
    """

    draw: str
    name: str
    guidelines: str
    annotator: str
    position: int
    progress: LabellingProgress
    own: int = Field(description="items of the draw that the annotator has labelled")
    previous: int | None
    next: int | None
    state: ItemState
    until: datetime | None
    lapsed: bool
    told: ShownSample
    data_source: str | None
    known: str
    label: Label | None
    thoughts: list[Label]
    said: list[SaidRow]
    query: str | None
    note: Literal["", "late", "kept"] = ""


class DeskText(Wire):
    """Characters of a text from ``offset``; ``more`` is the address of the rest, null at its end."""

    text: str
    offset: int
    characters: int = Field(description="of the whole text")
    more: str | None


class AnswerForm(Wire):
    """The form of a label. ``known``: :class:`DeskView`."""

    right: Literal["right", "wrong", "unclear"]
    note: str = Field("", max_length=10_000)
    reference: str = Field("", max_length=100_000)
    known: str = Field(max_length=100)
