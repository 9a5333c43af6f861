"""``score_model``: a model gives a number in a range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from judges.asking import Unreadable
from judges.base import Models
from judges.grader.grade import Grade
from judges.grader.prompted import Prompted
from judges.grader.subject import Subject


class ScoreModel(Prompted):
    """A number below the range counts as its lower end, as at OpenAI; one above it is outside the form, and asked for
    again: a model that answers in percent must not be taken for one that is full of praise."""

    type: Literal["score_model"]
    range: tuple[float, float] = Field((0.0, 1.0), description="the least and the greatest number")
    pass_threshold: float | None = None

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        if self.range[0] >= self.range[1]:
            raise ValueError("a range is two numbers, the lower one first")
        return self

    async def grade(self, subject: Subject, models: Models) -> Grade:
        low, high = self.range
        asked = f'"result": a number from {low:g} to {high:g}'
        said = await self.ask_model(subject, models, asked, {"result": {"type": "number"}}, self._refuse_above)
        result = _number(said.value)
        evidence: dict[str, JsonValue] = {"result": result, "weights": said.weights}
        grade = Grade(max(result, low), f"the model gives {result:.4g}", None, evidence, {self.model: said.usage})
        return grade.apply_threshold(self.pass_threshold)

    def _refuse_above(self, value: Mapping[str, JsonValue]) -> None:
        if _number(value) > self.range[1]:
            raise Unreadable(f"its result is above {self.range[1]:g}")


def _number(value: Mapping[str, JsonValue]) -> float:
    result = value["result"]
    assert isinstance(result, (int, float)), "the form says that it is a number"
    try:
        return float(result)
    except OverflowError:
        raise Unreadable("its result is no number of this world") from None
