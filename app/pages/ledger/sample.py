"""One sample's page: what was judged, what was said of it, how that was priced, and what it is when judged again."""

from __future__ import annotations

import asyncio

from app.kit.db import Database
from app.kit.paging import PageRange
from app.labels.schemas import LabelQuery
from app.labels.service import LabelsService
from app.pages.ledger.judging import Detail
from app.pages.ledger.markup import marks
from app.pages.ledger.views import Beside, Mate, SampleView, TitledVerdict
from app.pages.playground.views import SampleCalls
from app.pages.sample.view import describe_sample, findings
from app.replay.explain import RewardPlace, explanation, place_of
from app.verdicts.answer import answer_of
from app.verdicts.excerpt import excerpt
from app.verdicts.filters import LedgerFilters
from app.verdicts.related import find_related
from app.verdicts.repository import VerdictsRepository
from app.verdicts.search import Cursor, LedgerSearch
from trueward.errors import Conflict, NotFound
from trueward.wire.record import RewardDetail, VerdictRecord
from trueward.wire.sample import Sample

MATES = 64
SETTLED = 1_000
"""Rewards of one request that are computed again for a page that did not ask for it."""
_LATE = f"It was settled with more than {SETTLED:,} others: computing it again takes seconds."
_LABELS = 50


async def detail_of(db: Database, record: str) -> Detail:
    """Raises :class:`NotFound`."""
    found = await VerdictsRepository(db).find(record)
    if found is None:
        raise NotFound(f"the ledger has no record {record[:100]!r}")
    return found


async def view_sample(
    db: Database, detail: Detail, beside: Beside, calls: SampleCalls, whole: bool = False
) -> SampleView:
    """All but what the forms offer. ``whole``: the arithmetic however long that takes."""
    others = await find_related(db, detail.sample)
    priced = detail.record if isinstance(detail, RewardDetail) else others.find_reward(detail.record)
    place, unexplained = await _place(db, priced, None if whole else SETTLED)
    said = _list_verdicts(detail)
    sample = Sample.model_validate(detail.content)
    return SampleView(
        detail=detail,
        beside=beside,
        told=await asyncio.to_thread(describe_sample, sample, findings([one.verdict for one in said])),
        answer=sample.response_text,
        marked=marks(detail, said),
        said=[TitledVerdict(title=_title(one), verdict=one.verdict) for one in said],
        verdicts=list(others.verdicts),
        rewards=list(others.rewards),
        more=others.more,
        arithmetic=None if place is None else explanation(place.request, place.group, place.position, place.run),
        unexplained=unexplained,
        late=unexplained == _LATE,
        labels=(await LabelsService(db).page(LabelQuery(sample=detail.sample), None, PageRange(limit=_LABELS))).labels,
        mates=await _mates(db, detail, place),
        verifiers=[],
        recipes=[],
        judge="",
        calls=calls,
    )


async def _place(db: Database, priced: str | None, most: int | None) -> tuple[RewardPlace | None, str]:
    """Where its reward is, or why there is none to explain."""
    if priced is None:
        return None, "No recipe priced this verdict."
    try:
        place = await place_of(db, priced, most)
    except Conflict as old:
        return None, old.detail
    return place, "" if place else _LATE


def _list_verdicts(detail: Detail) -> list[VerdictRecord]:
    return list(detail.verdicts) if isinstance(detail, RewardDetail) else [detail]


def _title(record: VerdictRecord) -> str:
    producer = record.verdict.producer
    return f"{producer.name} {producer.version}" if producer else "verdict"


async def _mates(db: Database, detail: Detail, place: RewardPlace | None) -> list[Mate]:
    """Of a reward those that were settled with it; of a verdict those that name the same group, in its run and step."""
    if isinstance(detail, RewardDetail) and place is not None:
        entries = place.group.entries[:MATES]
        return [
            Mate(
                record=entry.reward.record or "",
                id=entry.reward.id,
                outcome=entry.reward.outcome,
                score=entry.reward.reward,
                answer=next(filter(None, (answer_of(verdict.evidence) for verdict in entry.verdicts.values())), None),
                excerpt=excerpt(entry.sample.model_dump(mode="json", exclude_unset=True)),
                here=entry.reward.record == detail.record,
            )
            for entry in entries
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
            answer=answer_of(row.verdict.evidence),
            excerpt=said,
            here=row.record == detail.record,
        )
        for row, said in reversed(list(zip(found.rows, found.excerpts, strict=True)))
        if isinstance(row, VerdictRecord) and (row.run, row.step) == (detail.run, detail.step)
    ]
