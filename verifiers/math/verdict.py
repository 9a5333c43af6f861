"""What is said of a decision: the same words whether it fell inline or in a worker."""

from __future__ import annotations

from dataclasses import asdict

from pydantic import JsonValue

from trueward.wire.verdict import Verdict
from verifiers.legible import shorten
from verifiers.math import echo
from verifiers.math.algebra.decision import Decision
from verifiers.math.reading.form import Form

_NOT_BY_VALUE = {
    "echoes_question": echo.REASON,
    "missing_unit": "the reference has a unit, the answer has none",
    "unequal_form": "the answer does not have the form that was asked for",
}
"""What is said where the value is, or may be, that of the reference."""


def verdict(decision: Decision, rule: str, answer: Form, reference: Form) -> Verdict:
    """The verdict on a decision, with what it rests on."""
    given, wanted = answer.shown, reference.shown
    text, given, wanted = shorten(answer.text), shorten(given), shorten(wanted)
    evidence: dict[str, JsonValue] = {
        "extracted": text,
        "rule": rule,
        "answer": given,
        "reference": wanted,
    }
    if decision.witness is not None:
        evidence["witness"] = asdict(decision.witness)
    if decision.rules:
        evidence["set_aside"] = [*dict.fromkeys(decision.rules)]
    sign = "=" if decision.equal else "is not"
    by_value = f"{given[:80]} {sign} {wanted[:80]}"
    make = Verdict.correct if decision.equal else Verdict.incorrect
    return make(decision.code, _NOT_BY_VALUE.get(decision.code, by_value), evidence=evidence)
