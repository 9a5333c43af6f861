"""``label_model``: a model gives one of several labels; some of them pass.

OpenAI has it in evaluations alone; here it can be run, too.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, model_validator

from judges.base import Models
from judges.grader.grade import Grade
from judges.grader.prompted import Prompted
from judges.grader.subject import Subject

Label = Annotated[str, Field(min_length=1, max_length=256)]


class LabelModel(Prompted):
    type: Literal["label_model"]
    labels: tuple[Label, ...] = Field(min_length=1, max_length=256)
    passing_labels: tuple[Label, ...]

    @model_validator(mode="after")
    def _known(self) -> Self:
        if not set(self.passing_labels) <= set(self.labels):
            raise ValueError("passing_labels must be among labels")
        return self

    async def grade(self, subject: Subject, models: Models) -> Grade:
        choices: list[JsonValue] = list(dict.fromkeys(self.labels))
        quoted = ", ".join(f'"{label}"' for label in choices)
        said = await self.ask_model(
            subject, models, f'"label": one of {quoted}', {"label": {"type": "string", "enum": choices}}
        )
        label = said.value["label"]
        passed = label in self.passing_labels
        evidence: dict[str, JsonValue] = {"label": label, "weights": said.weights}
        return Grade(float(passed), f"the model's label is {label!r}", passed, evidence, {self.model: said.usage})
