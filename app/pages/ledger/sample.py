"""One sample's page: what was judged, what was said of it, how that was priced, and what it is when judged again."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from app.kit.db import Database
from app.kit.slice import Slice
from app.labels.schemas import LabelQuery
from app.labels.service import LabelsService
from app.pages.inert import as_text
from app.pages.ledger.marked import marks, tables
from app.pages.ledger.views import Mate, Said, SampleView, Turn
from app.pages.playground.service import state_of
from app.pages.playground.sharing import link_of
from app.pages.playground.views import State
from app.replay.explain import Place, explanation, place_of
from app.verdicts.filters import LedgerFilters
from app.verdicts.related import related
from app.verdicts.repository import VerdictsRepository
from app.verdicts.search import Cursor, LedgerSearch
from trueward.errors import Conflict, NotFound
from trueward.records import RewardDetail, VerdictDetail, VerdictRecord
from trueward.types import Message, Sample

MATES = 64
SETTLED = 1_000
"""Rewards of one request that are computed again for a page that did not ask for it."""
_LATE = f"It was settled with more than {SETTLED:,} others: computing it again takes seconds."
_LABELS = 50
_EXCERPT = 200
Detail = VerdictDetail | RewardDetail


async def detail_of(db: Database, record: str) -> Detail:
    """Raises :class:`NotFound`."""
    found = await VerdictsRepository(db).find(record)
    if found is None:
        raise NotFound(f"the ledger has no record {record[:100]!r}")
    return found


async def shown(db: Database, detail: Detail, whole: bool = False) -> SampleView:
    """All but what the form to judge again offers. ``whole``: the arithmetic however long that takes."""
    others = await related(db, detail.sample)
    priced = detail.record if isinstance(detail, RewardDetail) else others.priced(detail.record)
    place, unexplained = await _place(db, priced, None if whole else SETTLED)
    said = _said(detail)
    sample = Sample.model_validate(detail.content)
    return SampleView(
        detail=detail,
        prompt=turns(sample.prompt, policy=False),
        response=turns(sample.response, policy=True),
        answer=sample.response_text,
        marked=marks(detail, said),
        said=[Said(title=_title(one), verdict=one.verdict, tables=tables(one.verdict.evidence)) for one in said],
        verdicts=list(others.verdicts),
        rewards=list(others.rewards),
        more=others.more,
        arithmetic=None if place is None else explanation(place.request, place.group, place.position, place.run),
        unexplained=unexplained,
        late=unexplained == _LATE,
        labels=(await LabelsService(db).page(LabelQuery(sample=detail.sample), None, Slice(limit=_LABELS))).labels,
        mates=await _mates(db, detail, place),
        verifiers=[],
        recipes=[],
        judge=judge_of(detail),
        playground=link_of(state(detail, judge_of(detail))),
    )


def judge_of(detail: Detail) -> str:
    """What judged it, as the playground names it."""
    if isinstance(detail, RewardDetail):
        return f"recipe:{detail.recipe_name}"
    producer = detail.verdict.producer
    return f"verifier:{producer.name if producer else ''}"


def state(detail: Detail, judge: str) -> State:
    """The sample in the playground's form; with the recorded parameters where the same verifier judges again."""
    same = isinstance(detail, VerdictDetail) and judge == judge_of(detail)
    params = detail.params if same and isinstance(detail, VerdictDetail) else None
    return state_of(judge, detail.content, params or {})


def turns(value: str | Sequence[Message] | None, *, policy: bool) -> list[Turn]:
    """Messages one by one, with what they hold beside a role and a text; a whole text as one turn."""
    if value is None:
        return []
    if isinstance(value, str):
        return [Turn(role="", text=value, policy=policy)]
    return [_turn(message) for message in value]


def _turn(message: Message) -> Turn:
    parts: list[JsonValue] = []
    if message.content is not None:
        parts.append(message.content)
    if message.model_extra:
        parts.append(message.model_extra)
    return Turn(role=message.role, text="\n\n".join(as_text(part) for part in parts), policy=message.is_policy)


async def _place(db: Database, priced: str | None, most: int | None) -> tuple[Place | None, str]:
    """Where its reward is, or why there is none to explain."""
    if priced is None:
        return None, "No recipe priced this verdict."
    try:
        place = await place_of(db, priced, most)
    except Conflict as old:
        return None, old.detail
    return place, "" if place else _LATE


def _said(detail: Detail) -> list[VerdictRecord]:
    return list(detail.verdicts) if isinstance(detail, RewardDetail) else [detail]


def _title(record: VerdictRecord) -> str:
    producer = record.verdict.producer
    return f"{producer.name} {producer.version}" if producer else "verdict"


async def _mates(db: Database, detail: Detail, place: Place | None) -> list[Mate]:
    """Of a reward those that were settled with it; of a verdict those that name the same group, in its run and step."""
    if isinstance(detail, RewardDetail) and place is not None:
        return [
            Mate(
                record=entry.reward.record or "",
                id=entry.reward.id,
                outcome=entry.reward.outcome,
                score=entry.reward.reward,
                excerpt=entry.sample.response_text[:_EXCERPT],
                here=entry.reward.record == detail.record,
            )
            for entry in place.group.entries[:MATES]
        ]
    if detail.group is None or isinstance(detail, RewardDetail):
        return []
    verifier = detail.verdict.producer.name if detail.verdict.producer else None
    asked = LedgerFilters(group=detail.group, run=detail.run, step=detail.step, verifier=verifier)
    found = await LedgerSearch(db).page(asked, Cursor(), MATES)
    return [
        Mate(
            record=row.record,
            id=row.verdict.id,
            outcome=row.verdict.outcome,
            score=row.verdict.score,
            excerpt=excerpt,
            here=row.record == detail.record,
        )
        for row, excerpt in reversed(list(zip(found.rows, found.excerpts, strict=True)))
        if isinstance(row, VerdictRecord) and (row.run, row.step) == (detail.run, detail.step)
    ]
