"""Summaries of runs that are made up, for what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.doctor.faults import faults_of
from app.doctor.summary import Content, Seen, Summary
from trueward.wire.diagnosis import RunFault
from trueward.wire.verdict import Outcome


def seen(place: int, outcome: str = "correct", code: str = "equal", **fields: Any) -> Seen:
    """Four responses to a prompt; every second group has one that is wrong. ``content`` takes fields of a content."""
    wrong = place % 4 == 0 and outcome == "correct"
    said = Outcome.INCORRECT if wrong else Outcome(outcome)
    paid = None if said.missing else 1.0 if said is Outcome.CORRECT else 0.0
    content = Content(
        **{"length": 40, "digest": f"text {place}", "forms": frozenset(), "finish_reason": "stop"}
        | {"tokens": 10 + place % 7}
        | fields.pop("content", {})
    )
    made: dict[str, Any] = {"group": f"g{place // 4}", "prompt": f"p{place // 4}", "reward": paid, "reason": "said so"}
    return Seen(
        record=f"r{place:05d}",
        sample=f"s{place}",
        outcome=said,
        reason_code=code,
        content=content,
        **{**made, **fields},
    )


def summary(records: Iterable[Seen], **fields: Any) -> Summary:
    listed = list(records)
    return Summary(run="r", records=listed, total=len(listed), **fields)


def found(records: Iterable[Seen], **fields: Any) -> dict[str, RunFault]:
    """By kind; of a kind the last."""
    return {fault.kind: fault for fault in faults_of(summary(records, **fields))}
