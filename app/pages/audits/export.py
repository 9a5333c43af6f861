"""An audit as one CSV file, a number a line: rates by each method, and every cell of every table of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.kit.spreadsheet import format_csv
from trueward.wire.audit import AuditReport, Cell, Estimate

HEADER = ("part", "row", "name", "column", "value")


def as_csv(report: AuditReport) -> str:
    """``name`` is the first cell of a table's row; shares are numbers in [0, 1]."""
    rates = (("false positive", report.false_positives), ("false negative", report.false_negatives))
    rows: list[Sequence[Cell]] = [HEADER]
    for name, estimates in rates:
        for place, each in enumerate(estimates):
            rows += (("rates", place, name, column, value) for column, value in _estimate(each))
    for table in report.tables:
        for place, row in enumerate(table.rows):
            first = row[0] if row else None
            cells = zip(table.columns, row, strict=False)
            rows += ((table.title, place, first, column, value) for column, value in cells)
    return format_csv(rows)


def _estimate(each: Estimate) -> Iterator[tuple[str, Cell]]:
    yield "method", each.method
    yield "rate", each.rate
    yield from zip(("low", "high"), each.interval or (None, None), strict=True)
    yield "errors", each.errors
    yield "items", each.items
