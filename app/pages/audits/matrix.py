"""The confusion matrix of a labelled audit, each cell with the way to its samples."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from trueward.errors import NotFound
from trueward.wire.audit import Audit
from trueward.wire.base import Wire

Cell = Literal["right_accepted", "right_rejected", "right_missing", "wrong_accepted", "wrong_rejected", "wrong_missing"]
_SHADES = 5
VERDICTS = {"accepted": "accepted", "rejected": "rejected", "missing": "no verdict"}


class MatrixCell(Wire):
    """``shade`` is 0 to 5, the darker the larger of its row; no ``path`` where no record is listed."""

    cell: str
    verdict: str
    count: int
    shade: int
    error: bool
    path: str | None


class MatrixRow(Wire):
    label: str
    cells: list[MatrixCell]


def matrix(audit: Audit) -> list[MatrixRow]:
    """Two rows of three; empty where the audit has no such matrix."""
    counts = _entries(audit, "confusion")
    return [_row(audit, label, counts) for label in ("right", "wrong")] if counts else []


def cell_title(cell: Cell) -> str:
    """``Wrong answers that were accepted``."""
    label, _, verdict = cell.partition("_")
    said = "without a verdict" if verdict == "missing" else f"that were {verdict}"
    return f"{label.capitalize()} answers {said}"


def cell_records(audit: Audit, cell: Cell) -> tuple[list[str], int]:
    """The records that the report lists, newest first, and how many there are. Raises :class:`NotFound`."""
    counts, listed = _entries(audit, "confusion"), _entries(audit, "cells")
    count, records = counts.get(cell), listed.get(cell)
    if not isinstance(count, int) or not isinstance(records, list):
        raise NotFound(
            f"audit {audit.id} lists no samples: it has no matrix, or an earlier version of the service made it; "
            "start it again"
        )
    return [str(record) for record in records], count


def _row(audit: Audit, label: str, counts: dict[str, JsonValue]) -> MatrixRow:
    listed = _entries(audit, "cells")
    numbers = {name: _count(counts, f"{label}_{name}") for name in VERDICTS}
    most = max(numbers.values())
    cells = [
        MatrixCell(
            cell=(cell := f"{label}_{name}"),
            verdict=word,
            count=numbers[name],
            shade=round(_SHADES * numbers[name] / most) if most else 0,
            error=(label, name) in (("wrong", "accepted"), ("right", "rejected")),
            path=f"/ui/audits/{audit.id}/cells/{cell}" if numbers[name] and listed.get(cell) else None,
        )
        for name, word in VERDICTS.items()
    ]
    return MatrixRow(label=label, cells=cells)


def _entries(audit: Audit, name: str) -> dict[str, JsonValue]:
    if audit.report is None or audit.spec.kind != "labelled":
        return {}
    found = audit.report.findings.get(name)
    return found if isinstance(found, dict) else {}


def _count(counts: dict[str, JsonValue], name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) else 0
