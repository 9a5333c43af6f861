"""A verdict: what a verifier says of one sample."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Self

from pydantic import Field, JsonValue, model_validator

from trueward.wire.base import Wire


class Outcome(StrEnum):
    """What became of a sample. The last three are ours: they carry no score."""

    missing: bool
    """True where the score is missing through no doing of the policy."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    PARTIAL = "partial"
    SCORED = "scored"
    INVALID = "invalid"
    ABSTAINED = "abstained"
    TIMEOUT = "timeout"
    ERROR = "error"

    def __init__(self, name: str) -> None:
        self.missing = name in ("abstained", "timeout", "error")


class Producer(Wire):
    """Who made a verdict: enough, with the sample, to make it again."""

    name: str
    version: str
    params: str = Field(description="sha256 of the parameters in canonical JSON")


class Verdict(Wire):
    """What a verifier says of one sample.

    A verifier sets the first group of fields; the service adds the second. ``score`` is None exactly
    when the outcome is ``abstained``, ``timeout`` or ``error``; ``invalid`` scores 0.0.
    """

    outcome: Outcome
    score: float | None = None
    reason_code: str = Field(description="a stable snake_case code, such as equal_rational")
    reason: str = ""
    evidence: dict[str, JsonValue] = Field(default={})
    confidence: float | None = Field(default=None, ge=0.0, le=1.0)
    feedback: str | None = None

    id: str | None = None
    record: str | None = Field(default=None, description="the ledger's id of this verdict")
    producer: Producer | None = None
    elapsed_s: float = Field(default=0.0, description="seconds of work, waiting not counted")
    cached: bool = False

    @model_validator(mode="after")
    def _score_matches_outcome(self) -> Self:
        if self.outcome.missing != (self.score is None):
            raise ValueError(
                f"outcome {self.outcome} with score {self.score}: a score is missing exactly where "
                "the outcome is abstained, timeout or error"
            )
        return self

    @classmethod
    def correct(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.CORRECT, score=1.0, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def incorrect(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.INCORRECT, score=0.0, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def partial(cls, score: float, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.PARTIAL, score=score, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def scored(cls, score: float, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.SCORED, score=score, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def invalid(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        """Nothing to judge, through the policy's own doing; the recipe prices it."""
        return cls(outcome=Outcome.INVALID, score=0.0, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def abstained(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        """The verifier cannot tell, through no doing of the policy."""
        return cls(outcome=Outcome.ABSTAINED, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def timeout(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.TIMEOUT, reason_code=reason_code, reason=reason, **rest)

    @classmethod
    def error(cls, reason_code: str, reason: str = "", **rest: Any) -> Verdict:
        return cls(outcome=Outcome.ERROR, reason_code=reason_code, reason=reason, **rest)
