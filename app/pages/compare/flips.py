"""Flips of a re-verification, with the samples behind them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from app.audits.samples import Shown, show_records
from app.kit.db import Database
from app.pages.compare.views import FlipCounts, FlipList, FlippedSample, Way
from app.pages.sample.view import describe_record
from trueward.errors import NotFound
from trueward.wire.audit import Audit, ReverifyAudit

WAYS: tuple[Way, ...] = ("gained", "lost")
_NOW: dict[Way, str] = {"gained": "accepted", "lost": "rejected"}
TITLES: dict[Way, str] = {"gained": "Rejected before, accepted now", "lost": "Accepted before, rejected now"}


class RecordPair(NamedTuple):
    """Records of one sample, then and now."""

    before: str
    after: str


def parse_flips(found: JsonValue) -> FlipCounts | None:
    """From an entry of the findings; None where there is none."""
    if not isinstance(found, dict):
        return None
    change = found.get("change")
    changed = change if isinstance(change, dict) else {}
    names = ("gained", "lost", "items", "exact", "mid")
    return FlipCounts.model_validate(
        {
            **{name: found[name] for name in names},
            "change": changed.get("value"),
            "interval": changed.get("interval"),
            "note": changed.get("note", ""),
        }
    )


def pairs(audit: Audit, way: Way) -> list[RecordPair]:
    """Those that the report lists. Raises :class:`NotFound` for an audit that compares nothing."""
    listed = None if audit.report is None else audit.report.findings.get("flipped")
    if not isinstance(listed, list):
        raise NotFound(f"audit {audit.id} has no flips: it is no re-verification, or not done")
    return [
        RecordPair(str(one["before"]), str(one["after"]))
        for one in listed
        if isinstance(one, dict) and one.get("now") == _NOW[way]
    ]


async def flips_of(db: Database, audit: Audit, way: Way, start: int, size: int) -> FlipList:
    """``size`` of the flips one way, from the place ``start`` in the report, which is final."""
    assert isinstance(audit.spec, ReverifyAudit)
    listed = pairs(audit, way)
    page = listed[start : start + size]
    rewards = audit.spec.subject.recipe is not None
    shown = await show_records(db, [record for pair in page for record in pair], rewards=rewards)
    found = parse_flips(audit.report.findings.get("flips")) if audit.report is not None else None
    return FlipList(
        way=way,
        title=TITLES[way],
        count=len(listed) if found is None else getattr(found, way),
        listed=len(listed),
        path=f"/ui/compare/{audit.id}/flips/{way}",
        flips=await asyncio.to_thread(lambda: [_flip(pair, shown) for pair in page]),
    )


def _flip(pair: RecordPair, shown: Mapping[str, Shown]) -> FlippedSample:
    before, after = shown.get(pair.before), shown.get(pair.after)
    newest = after or before
    told = None if newest is None else describe_record(newest)
    return FlippedSample(before_record=pair.before, after_record=pair.after, before=before, after=after, told=told)
