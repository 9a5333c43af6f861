"""The explorer's page: what the address asks for, and the addresses of the pages beside it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from pydantic import ValidationError

from app.kit.problems import refused_fields
from app.pages.ledger.views import LedgerRow, LedgerView
from app.verdicts.filters import LedgerFilters
from app.verdicts.search import Cursor, Found, LedgerSearch
from trueward.answers import RewardRecord
from trueward.errors import InvalidRequest
from trueward.records import VerdictRecord

PATH = "/ui/ledger"
ROWS = 50
_LONGEST_RECORD = 64


def filters_of(asked: Mapping[str, str]) -> LedgerFilters:
    """Fields that are blank are not asked. Raises :class:`InvalidRequest`."""
    named = {name: value for name, value in asked.items() if name in LedgerFilters.model_fields and value.strip()}
    try:
        return LedgerFilters.model_validate(named)
    except ValidationError as refusal:
        fields = refused_fields(refusal)
        words = (f"{one.field}: {one.detail}".removeprefix("body: Value error, ") for one in fields)
        raise InvalidRequest("; ".join(words), errors=fields) from None


def cursor_of(asked: Mapping[str, str]) -> Cursor:
    """``before`` is where newer records begin, ``after`` where older ones do. Raises :class:`InvalidRequest`."""
    before, after = asked.get("before", ""), asked.get("after", "")
    if (before and after) or len(before + after) > _LONGEST_RECORD:
        raise InvalidRequest("?before= or ?after= names one record, where a page ended")
    return Cursor(before or after or None, newer=bool(before))


async def listed(search: LedgerSearch, filters: LedgerFilters, cursor: Cursor) -> LedgerView:
    """Without what the form offers."""
    found = await search.page(filters, cursor, ROWS)
    view = LedgerView(
        filters=filters,
        rows=[row_of(row, excerpt) for row, excerpt in zip(found.rows, found.excerpts, strict=True)],
        count=await search.count(filters),
        searched=found.searched,
        verifiers=[],
        recipes=[],
        runs=[],
    )
    _place(view, found, cursor)
    return view


def _place(view: LedgerView, found: Found, cursor: Cursor) -> None:
    """The addresses of the pages beside this one."""
    first = view.rows[0].record if view.rows else None
    last = view.rows[-1].record if view.rows else None
    if cursor.record is not None:
        view.newest = path_of(view.filters)
    if cursor.newer:
        view.newer = path_of(view.filters, before=found.stopped or first) if found.more else None
        view.older = path_of(view.filters, after=last or cursor.record)
    else:
        view.newer = path_of(view.filters, before=first) if cursor.record and first else None
        view.older = path_of(view.filters, after=found.stopped or last) if found.more else None


def path_of(filters: LedgerFilters, **cursor: str | None) -> str:
    """The address of a page, as short as it can be."""
    asked = filters.model_dump(mode="json", exclude_defaults=True)
    named = {**asked, **{name: value for name, value in cursor.items() if value is not None}}
    query = urlencode(named, quote_via=quote, safe="")
    return f"{PATH}?{query}" if query else PATH


def row_of(row: VerdictRecord | RewardRecord, excerpt: str) -> LedgerRow:
    if isinstance(row, VerdictRecord):
        said, score, producer = row.verdict, row.verdict.score, row.verdict.producer
        by, version = (producer.name, producer.version) if producer else ("", "")
        outcome, code, reason = said.outcome, said.reason_code, said.reason
    else:
        score, by, version = row.reward.reward, row.recipe_name, row.recipe
        outcome, code, reason = row.reward.outcome, row.reward.reason_code, row.reward.reason
    return LedgerRow(
        record=row.record,
        created_at=row.created_at,
        by=by,
        version=version,
        outcome=outcome,
        score=score,
        reason_code=code,
        reason=reason,
        run=row.run,
        step=row.step,
        group=row.group,
        split=row.split,
        policy=row.policy,
        excerpt=excerpt,
    )
