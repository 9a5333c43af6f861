"""The explorer's page: what the address asks for, and the addresses of the pages beside it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from datetime import UTC
from typing import NamedTuple
from urllib.parse import quote, urlencode

from pydantic import ValidationError

from app.kit.db import Database
from app.kit.problems import list_problems
from app.pages.ledger.views import Beside, LedgerRow, LedgerView
from app.verdicts.filters import LedgerFilters
from app.verdicts.search import Cursor, LedgerSearch, SearchResult
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.record import RewardDetail, RewardRecord, VerdictDetail, VerdictRecord

PATH = "/ui/ledger"
ROWS = 50
FILTERS = tuple(LedgerFilters.model_fields)
_PLACES = ("after", "before", "order")
_LONGEST_RECORD = 64
_STEP = "must be a whole number, or a range such as 20-30 or 20-"
_VALUE = "Value error, "


class ListingQuery(NamedTuple):
    """A page of what is found: behind ``record``, or with ``back`` before it, in the order in which it is shown."""

    filters: LedgerFilters
    record: str | None = None
    back: bool = False
    oldest: bool = False

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.record, newer=self.back != self.oldest)

    def path(self, **cursor: str | None) -> str:
        """The address of a page, as short as it can be."""
        return path_of(self.filters, order="oldest" if self.oldest else None, **cursor)


def parse_query(given: Mapping[str, str]) -> ListingQuery:
    """Raises :class:`InvalidRequest`, for a name that is none too."""
    refuse_unknown(given, _PLACES)
    order = given.get("order", "newest")
    if order not in ("newest", "oldest"):
        raise _wrong("order", "must be newest or oldest")
    before, after = given.get("before", ""), given.get("after", "")
    if (before and after) or len(before + after) > _LONGEST_RECORD:
        raise _wrong("after", "?before= or ?after= names one record, where a page ended")
    return ListingQuery(filters_of(given), before or after or None, bool(before), order == "oldest")


def filters_of(given: Mapping[str, str]) -> LedgerFilters:
    """Fields that are blank are not asked. Raises :class:`InvalidRequest`."""
    named = {name: value for name, value in given.items() if name in FILTERS and value.strip()}
    try:
        return LedgerFilters.model_validate(named)
    except ValidationError as refusal:
        fields = [
            FieldProblem(
                field="step" if one.field.startswith("step") else one.field,
                code=one.code,
                detail=_STEP if (one.field, one.code) == ("step", "int_parsing") else one.detail.removeprefix(_VALUE),
            )
            for one in list_problems(refusal)
        ]
        words = (one.detail if one.field == "body" else f"{one.field}: {one.detail}" for one in fields)
        raise InvalidRequest("; ".join(words), errors=fields) from None


def refuse_unknown(given: Iterable[str], others: Iterable[str]) -> None:
    """As the API does: a filter that is misspelt is not one that finds everything. Raises :class:`InvalidRequest`."""
    known = [*FILTERS, *others, "format"]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name[:100], known, n=1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise _wrong(name[:100], f"there is no such parameter; {advice}")


async def view_records(search: LedgerSearch, asked: ListingQuery) -> LedgerView:
    """Without what the form offers."""
    found = await search.page(asked.filters, asked.cursor, ROWS)
    rows = list(rows_of(found))
    view = empty(form_of(asked.filters, asked.oldest))
    view.filters, view.oldest = asked.filters, asked.oldest
    view.rows = rows[::-1] if asked.oldest else rows
    view.count, view.searched = await search.count(asked.filters), found.searched
    view.search = path_of(asked.filters).removeprefix(PATH)
    view.audit = audit_path(asked.filters)
    view.turned = asked._replace(oldest=not asked.oldest).path()
    _place(view, found, asked)
    return view


def empty(given: Mapping[str, str]) -> LedgerView:
    """A page that found nothing, with the form as it was sent."""
    form = {name: value for name, value in given.items() if name in (*FILTERS, "order")}
    return LedgerView(filters=LedgerFilters(), form=form, rows=[], count=0, verifiers=[], recipes=[], runs=[])


def form_of(filters: LedgerFilters, oldest: bool = False) -> dict[str, str]:
    """The fields of the form, as texts; those that are not asked are left out."""
    told = {name: str(value) for name, value in filters.model_dump(mode="json", exclude_none=True).items()}
    for name, at in (("since", filters.since), ("until", filters.until)):
        if at is not None:
            told[name] = at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    for name in ("step", "step_min", "step_max"):
        told.pop(name, None)
    if filters.steps:
        told["step"] = filters.steps
    return told | ({"order": "oldest"} if oldest else {})


def _place(view: LedgerView, found: SearchResult, asked: ListingQuery) -> None:
    """The addresses of the pages beside this one."""
    first = view.rows[0].record if view.rows else None
    last = view.rows[-1].record if view.rows else None
    if asked.record is not None:
        view.newest = asked.path()
    if asked.back:
        view.newer = asked.path(before=found.stopped or first) if found.more else None
        view.older = asked.path(after=last or asked.record)
    else:
        view.newer = asked.path(before=first) if asked.record and first else None
        view.older = asked.path(after=found.stopped or last) if found.more else None


def path_of(filters: LedgerFilters, **further: str | None) -> str:
    """The address of a page, as short as it can be."""
    asked = filters.model_dump(mode="json", exclude_defaults=True, exclude={"step", "step_min", "step_max"})
    if filters.steps:
        asked["step"] = filters.steps
    named = {**asked, **{name: value for name, value in further.items() if value is not None}}
    query = urlencode(named, quote_via=quote, safe="")
    return f"{PATH}?{query}" if query else PATH


def audit_path(filters: LedgerFilters) -> str:
    """The form of an audit of what the filters name; an audit's population has no others."""
    judge = f"verifier:{filters.verifier}" if filters.verifier else f"recipe:{filters.recipe}" if filters.recipe else ""
    told = {"judge": judge, "run": filters.run, "split": filters.split, "steps": filters.steps}
    asked = {name: value for name, value in told.items() if value}
    return f"/ui/audits?{urlencode(asked, quote_via=quote, safe='')}#start" if judge else ""


def rows_of(found: SearchResult) -> Iterable[LedgerRow]:
    told = zip(found.rows, found.excerpts, found.references, found.extracted, found.lengths, strict=True)
    for row, excerpt, reference, extracted, length in told:
        made = row_of(row, excerpt)
        made.reference, made.extracted, made.length = reference, extracted, length
        yield made


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


def _wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, "filter", detail, message=f"{field}: {detail}")


async def find_neighbours(db: Database, detail: VerdictDetail | RewardDetail, asked: Mapping[str, str]) -> Beside:
    """By the filters of the address, which are those of the ledger; without any, the records of the run.

    Raises :class:`InvalidRequest`.
    """
    filters = filters_of(asked)
    named = filters.model_dump(mode="json", exclude_defaults=True)
    if filters.kind != detail.kind or not named:
        run = {} if detail.run is None else {"run": detail.run}
        filters = LedgerFilters(kind=detail.kind, **run)
        named = filters.model_dump(mode="json", exclude_defaults=True)
    query = path_of(filters).partition("?")[2]
    search = LedgerSearch(db)
    found = {newer: await search.page(filters, Cursor(detail.record, newer=newer), 1) for newer in (True, False)}
    paths = {newer: _path(one.rows[0].record, query) if one.rows else None for newer, one in found.items()}
    words = ", ".join(f"{name} {value}" for name, value in form_of(filters).items() if name != "kind")
    return Beside(
        words=words or f"all {detail.kind}s", query=query, newer=paths[True], older=paths[False], back=path_of(filters)
    )


def _path(record: str, query: str) -> str:
    return f"{PATH}/{quote(record, safe='')}" + (f"?{query}" if query else "")
