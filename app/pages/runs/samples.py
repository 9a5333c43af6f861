"""Addresses in the ledger: the samples of a point of a run, of an alarm, of one record."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from app.kit.tokens import moment_of
from app.pages.ledger.listing import path_of
from app.runs.points import RunPoint
from app.verdicts.filters import Kind, LedgerFilters
from trueward.wire.sample import Split
from trueward.wire.watch import Finding


def samples_of_point(run: str, kind: Kind, point: RunPoint, *, split: Split | None = None) -> str:
    return _within(run, kind, [point], split=split)


def samples_of_split(run: str, kind: Kind, split: Split) -> str:
    return _within(run, kind, [], split=split)


def samples_of_finding(run: str, kind: Kind, finding: Finding, points: Sequence[RunPoint]) -> str:
    """The records of the steps that it is about, of its cause alone where that is an outcome with a reason code."""
    about = [point for point in points if _touches(point, finding)]
    outcome, _, code = finding.cause.partition(": ")
    if finding.signal in ("invalid", "missing") and code:
        return _within(run, kind, about, reason_code=code, outcome=outcome if outcome == "invalid" else None)
    return _within(run, kind, about)


def sample_path(record: str) -> str:
    return f"/ui/ledger/{record}"


def _touches(point: RunPoint, finding: Finding) -> bool:
    if point.first_step is None or point.last_step is None or finding.first_step is None:
        return False
    last = finding.first_step if finding.last_step is None else finding.last_step
    return point.first_step <= last and point.last_step >= finding.first_step


def _within(run: str, kind: Kind, points: Sequence[RunPoint], **asked: Any) -> str:
    """By the step where it is one, else from the time of the first record to that of the last; of no point the run."""
    filters: dict[str, Any] = {"kind": kind, "run": run, **asked}
    steps = {step for point in points for step in (point.first_step, point.last_step)}
    if len(steps) == 1 and None not in steps:
        filters["step"] = steps.pop()
    elif points:
        filters["since"] = moment_of(min(point.first_record for point in points))
        filters["until"] = moment_of(max(point.last_record for point in points)) + timedelta(milliseconds=2)
    return path_of(LedgerFilters(**{name: value for name, value in filters.items() if value is not None}))
