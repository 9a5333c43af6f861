"""What is said of a decision: the same words whether it fell inline or in a worker."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import JsonValue

from trueward.types import Verdict
from verifiers.legible import shown
from verifiers.math.decision import Decision
from verifiers.math.form import Form


def verdict(decision: Decision, rule: str, answer: Form, reference: Form) -> Verdict:
    """The verdict on a decision, with what it rests on."""
    evidence: dict[str, JsonValue] = {
        "extracted": shown(answer.text),
        "rule": rule,
        "answer": shown(answer.shown),
        "reference": shown(reference.shown),
    }
    if decision.witness is not None:
        evidence["witness"] = asdict(decision.witness)
    sign = "=" if decision.equal else "is not"
    reason = f"{shown(answer.shown)[:80]} {sign} {shown(reference.shown)[:80]}"
    make = Verdict.correct if decision.equal else Verdict.incorrect
    return make(decision.code, reason, evidence=evidence)
