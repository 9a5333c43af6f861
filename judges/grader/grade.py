"""What a grader says of a subject, and what every grader is."""

from __future__ import annotations

from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from judges.asking import Usage
from judges.base import Models
from judges.grader.subject import Subject


@dataclass(frozen=True, slots=True)
class Grade:
    """``reward`` is the number of OpenAI's protocol; ``passed`` is None where the grader draws no line.

    ``usage`` is what was asked, by model; ``parts`` are the rewards of a multi grader's parts.
    """

    reward: float
    reason: str
    passed: bool | None = None
    evidence: dict[str, JsonValue] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)

    def apply_threshold(self, threshold: float | None) -> Grade:
        """The same with a line drawn, where there is one."""
        if threshold is None:
            return self
        passed = self.reward >= threshold
        reason = f"{self.reason}, threshold {threshold:g}"
        return Grade(self.reward, reason, passed, self.evidence, self.usage, self.parts)


class GraderObject(BaseModel):
    """A grader object of OpenAI's API. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, frozen=True)

    name: str = Field("", max_length=256)

    @property
    def models(self) -> tuple[str, ...]:
        """The models that it asks."""
        return ()

    def check(self, subject: Subject) -> None:
        """All that can be said before anybody is asked. Raises :class:`judges.grader.subject.Unfit` for what the
        response lacks, :class:`trueward.Abstain` for what the caller left out."""

    async def grade(self, subject: Subject, models: Models) -> Grade:
        """Of a subject that was checked. Raises the same, and what asking a model raises."""
        raise NotImplementedError(f"{type(self).__name__} does not define grade")
