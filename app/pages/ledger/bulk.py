"""Work on several records at once: those that are selected, or all that the search finds within a bound."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Literal, NamedTuple

from app.kit.spreadsheet import format_csv
from app.pages.ledger.listing import filters_of, refuse_unknown
from app.verdicts.export import ExportRow, LedgerExport
from app.verdicts.filters import LedgerFilters
from trueward.errors import InvalidRequest
from trueward.wire.audit import Population, Subject
from trueward.wire.draw import DrawRequest, RecordList

MOST_DRAWN = 1_000
"""Records of one draw from the ledger: people label them."""
_LONGEST_RECORD = 64
_MOST_SELECTED = 1_000
ExportFormat = Literal["jsonl", "csv"]
MEDIA_TYPES: dict[ExportFormat, str] = {
    "jsonl": "application/x-ndjson; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
}
COLUMNS = list(ExportRow.model_fields)


class ChosenRecords(NamedTuple):
    """``records`` is None for all that the search finds."""

    filters: LedgerFilters
    records: Sequence[str] | None


def parse_selection(posted: Mapping[str, Sequence[str]]) -> ChosenRecords:
    """Raises :class:`InvalidRequest`."""
    refuse_unknown(posted, ("record", "which", "as", "csrf", "order"))
    filters = filters_of(last_of(posted))
    which = posted.get("which", ["selected"])[-1]
    if which == "found":
        return ChosenRecords(filters, None)
    records = posted.get("record", [])
    if which != "selected" or not records:
        raise _wrong("record", "no record is selected: select some, or choose all that the search finds")
    if len(records) > _MOST_SELECTED or any(len(record) > _LONGEST_RECORD for record in records):
        raise _wrong("record", f"at most {_MOST_SELECTED} records can be selected, each by its id")
    return ChosenRecords(filters, records)


def last_of(posted: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Of each field the value that counts."""
    return {name: values[-1] for name, values in posted.items()}


async def draw_request(export: LedgerExport, asked: ChosenRecords) -> DrawRequest:
    """A draw of just these. Raises :class:`InvalidRequest` where they are of several verifiers or recipes."""
    kind = asked.filters.kind
    records = asked.records
    if records is None:
        records = await export.names(asked.filters, MOST_DRAWN)
    sources = await export.sources(kind, records)
    judges = sorted({by for by, _ in sources})
    if not judges:
        raise _wrong("record", "the ledger has none of these records")
    if len(judges) > 1:
        names = ", ".join(judges)[:200]
        raise _wrong("record", f"one draw is of one verifier or recipe, and these are of {names}: filter by one")
    runs = {run for _, run in sources}
    return DrawRequest(
        name=f"{len(records)} {'record' if len(records) == 1 else 'records'} of {judges[0].partition('@')[0]}"[:256],
        subject=Subject(verifier=judges[0]) if kind == "verdict" else Subject(recipe=judges[0]),
        population=Population(run=runs.pop() if len(runs) == 1 else None),
        queries=[RecordList(records=list(records), probability=1)],
    )


async def export_rows(export: LedgerExport, asked: ChosenRecords, form: ExportFormat) -> AsyncIterator[str]:
    """The file, batch by batch."""
    kind, records = asked.filters.kind, asked.records
    batches = export.search(asked.filters) if records is None else export.of(kind, records)
    if form == "csv":
        yield format_csv([COLUMNS])
    async for rows in batches:
        if form == "jsonl":
            yield "".join(f"{row.model_dump_json()}\n" for row in rows)
        else:
            yield format_csv([[_cell(value) for value in row.model_dump(mode="json").values()] for row in rows])


def _cell(value: object) -> str | float | None:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)


def _wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, "bulk", detail)
