"""The records beside one in the search that its reader came from."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from app.kit.db import Database
from app.pages.ledger.listing import PATH, filters_of, form_of, path_of
from app.pages.ledger.views import Beside
from app.verdicts.filters import LedgerFilters
from app.verdicts.search import Cursor, LedgerSearch
from trueward.wire.record import RewardDetail, VerdictDetail


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
