"""References on the wire: those that may be wrong, and those that were corrected.

A corrected reference is a version beside the old one. It is never applied to samples by itself: a trainer goes on
with the reference that its samples carry until its data are mended.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self

from pydantic import Field, JsonValue, StrictStr, model_validator

from trueward.wire.audit import Subject
from trueward.wire.base import Wire


class Suspect(Wire):
    """A prompt whose reference may be wrong: ``share`` of its ``answers`` parsed answers are ``answer``, which the
    reference rejects and the second verifier accepts. ``record`` is one of these verdicts."""

    prompt: str = Field(description="fingerprint of the prompt")
    record: str
    data_source: str | None
    reference: JsonValue
    answer: str
    share: float
    answers: int


class SourceSuspects(Wire):
    """Of one data source: how many prompts could be looked at (two answers or more), and how many are suspect."""

    data_source: str | None
    prompts: int
    suspects: int
    share: float | None


class SuspectReport(Wire):
    """``records`` verdicts were read; ``left_out`` older ones were not. ``responses`` different responses are behind
    them, of which the second verifier has judged ``seconded``: of the others it says nothing."""

    run: str
    verifier: str
    second: str
    records: int
    left_out: int
    sources: list[SourceSuspects]
    suspects: list[Suspect] = Field(description="the 1000 with the highest share")
    responses: int = 0
    seconded: int = 0
    notes: list[str] = Field(default_factory=list, description="why a prompt may be missing here")


class ReferenceRequest(Wire):
    """``record`` (the ledger's), ``sample`` (a content's fingerprint) or ``prompt`` (the fingerprint of one that was
    corrected before) says of which prompt; exactly one of them."""

    record: StrictStr | None = None
    sample: StrictStr | None = None
    prompt: StrictStr | None = None
    reference: JsonValue = Field(description="the right one, in the form that the verifier takes")
    reason: StrictStr = Field(min_length=1, max_length=10_000)
    annotator: StrictStr = Field(min_length=1, max_length=256)

    @model_validator(mode="after")
    def _names_one_thing(self) -> Self:
        if [self.record, self.sample, self.prompt].count(None) != 2:
            raise ValueError("a correction names a record, a sample or a prompt, exactly one of them")
        if self.reference is None:
            raise ValueError("a corrected reference is not null")
        return self


class Reference(Wire):
    """A corrected reference; ``was`` is the one that the stored samples carry. A prompt's highest version counts."""

    id: str
    prompt: str
    version: int
    sample: str
    reference: JsonValue
    was: JsonValue
    reason: str
    annotator: str
    owner: str | None
    created_at: datetime


class ReferencePage(Wire):
    references: list[Reference] = Field(description="newest first")
    next: str | None = Field(default=None, description="`after` of the next page; null on the last")


class ReverifyRequest(Wire):
    """``subject``: None takes the verifier and parameters that most of the stored verdicts come from."""

    subject: Subject | None = None


class Reverified(Wire):
    """Stored samples of a prompt, judged under its corrected reference. Flips are counted where there is a verdict on
    both sides; ``left_out`` samples were too many. ``run`` has the new verdicts."""

    reference: str
    subject: str
    run: str
    samples: int
    left_out: int
    now_accepted: int
    now_rejected: int
    same: int
    without_verdict: int
