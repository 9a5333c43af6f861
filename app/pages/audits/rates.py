"""The two big numbers of an audit, and what the ends of their intervals say of a limit.

The point itself decides nothing: five labels without an error are no proof of a good verifier.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from audits.report.view import METHODS, explain_few
from trueward.gate import deciding
from trueward.numerals import share
from trueward.wire.audit import AuditReport, Estimate
from trueward.wire.base import Wire

LIMIT = 0.05
"""What a rate is held against where nobody says otherwise."""
Standing = Literal["under", "over", "undecided", "unknown"]
_ASKED = (
    ("Wrong answers accepted", "truly wrong responses were accepted"),
    ("Right answers rejected", "truly right responses were rejected"),
)


class BigNumber(Wire):
    """An error rate by the estimate that a gate would go by; ``word`` says what ``standing`` colours."""

    name: str
    meaning: str
    estimate: Estimate | None = Field(description="null where the audit knows no response of that kind")
    method: str
    few: str = Field(description="why the interval is a hint; empty where it is none")
    standing: Standing
    word: str


def big_numbers(report: AuditReport, limit: float = LIMIT) -> list[BigNumber]:
    """False positives first."""
    numbers = []
    for (name, meaning), estimates in zip(_ASKED, (report.false_positives, report.false_negatives), strict=True):
        found = deciding(estimates, "upper")
        standing = _standing(found, limit)
        method = "" if found is None else METHODS[found.method]
        word = _word(standing, limit)
        numbers.append(
            BigNumber(
                name=name,
                meaning=meaning,
                estimate=found,
                method=method,
                few=explain_few(estimates),
                standing=standing,
                word=word,
            )
        )
    return numbers


def _standing(found: Estimate | None, limit: float) -> Standing:
    if found is None or found.interval is None:
        return "unknown"
    low, high = found.interval
    return "under" if high <= limit else "over" if low > limit else "undecided"


def _word(standing: Standing, limit: float) -> str:
    return {
        "under": f"under {share(limit)}",
        "over": f"over {share(limit)}",
        "undecided": f"may be over {share(limit)}",
        "unknown": "not known",
    }[standing]
