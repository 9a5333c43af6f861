"""Benchmarks of the user's own, as audits: rows of one format, judged through the one path."""

from __future__ import annotations

from collections.abc import Mapping

from audits.bench.case import Format
from audits.bench.comparison import comparison
from audits.bench.first_error import first_error_report
from audits.bench.preference import BEST_OF, ONE_AGAINST_MANY, PAIRS
from audits.bench.style_grid import STYLE_GRID
from audits.bench.swaps import CONTRAST_SWAP, PRINCIPLE_SWAP
from audits.bench.ties import TIES
from audits.bench.two_orders import TWO_ORDERS
from audits.bench.verdicts import verdicts_report
from audits.ports import Work
from trueward.wire.audit import AuditReport, BenchAudit, BenchFormat

COMPARED: Mapping[BenchFormat, Format] = {
    "pairs": PAIRS,
    "best_of": BEST_OF,
    "one_against_many": ONE_AGAINST_MANY,
    "style_grid": STYLE_GRID,
    "ties": TIES,
    "two_orders": TWO_ORDERS,
    "contrast_swap": CONTRAST_SWAP,
    "principle_swap": PRINCIPLE_SWAP,
}


async def bench(spec: BenchAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` for rows that are not of the format."""
    if spec.format == "first_error":
        return await first_error_report(spec, work)
    if spec.format == "verdicts":
        return await verdicts_report(spec, work)
    return await comparison(spec, work, COMPARED[spec.format])
