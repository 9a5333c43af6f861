"""A number made a verdict: ``scored``, or right or wrong where there is a line to pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from pydantic import JsonValue

from trueward.wire.verdict import Verdict


class Codes(NamedTuple):
    """Reason codes of a number without a threshold, of one that reaches it, and of one that does not."""

    scored: str
    passed: str
    failed: str


JUDGED = Codes("judged", "accepted", "rejected")


def conclude(
    score: float,
    threshold: float | None,
    codes: Codes,
    reason: str,
    evidence: Mapping[str, JsonValue],
    *,
    confidence: float | None = None,
    feedback: str | None = None,
) -> Verdict:
    """``threshold`` is the least score of a correct answer; the score then stands in the evidence."""
    told = {"confidence": confidence, "feedback": feedback}
    if threshold is None:
        return Verdict.scored(score, codes.scored, reason, evidence=dict(evidence), **told)
    make, code = (Verdict.correct, codes.passed) if score >= threshold else (Verdict.incorrect, codes.failed)
    return make(code, f"{reason}, threshold {threshold:g}", evidence={**evidence, "score": score}, **told)
