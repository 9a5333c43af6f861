"""Puts a verdict under its sample, its record and its verifier, in text that can be stored and sent."""

from __future__ import annotations

from pydantic_core import PydanticSerializationError, to_json

from app.kit.text import legible_json
from trueward.types import Sample, Verdict
from trueward.verifier import Verifier


def stamped(verdict: Verdict, sample: Sample, record: str, verifier: Verifier) -> Verdict:
    """A copy: the same verdict may have been said of other samples, and be kept."""
    named = {"id": sample.id, "record": record, "producer": verifier.producer}
    return _storable(verdict.model_copy(update=named))


def _storable(verdict: Verdict) -> Verdict:
    """The same verdict; whatever a verifier wrote that neither database nor JSON can carry is replaced."""
    written = (verdict.reason_code, verdict.reason, verdict.evidence, verdict.feedback)
    try:
        if b"\\u0000" not in to_json(written):
            return verdict
    except PydanticSerializationError:
        pass
    return Verdict.model_validate(legible_json(verdict.model_dump()))
