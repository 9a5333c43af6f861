"""``multi``: a formula over the rewards of several graders.

A part whose score is missing makes the whole missing. A part that the response cannot be graded by makes the whole
``invalid``: a formula may pay for a low part (``1 - leak``), and a failure must not be worth anything.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, field_validator, model_validator

from judges.asking import Usage
from judges.base import Models
from judges.grader.formula import FUNCTIONS, LONGEST, Formula, Undefined
from judges.grader.grade import Grade, GraderObject
from judges.grader.label_model import LabelModel
from judges.grader.python import PythonGrader
from judges.grader.score_model import ScoreModel
from judges.grader.string_check import StringCheck
from judges.grader.subject import Subject, Unfit
from judges.grader.text_similarity import TextSimilarity

Part = Annotated[StringCheck | TextSimilarity | PythonGrader | ScoreModel | LabelModel, Field(discriminator="type")]
_NAME = re.compile(r"[A-Za-z_]\w{0,127}", re.ASCII)


class Multi(GraderObject):
    """Each part has the name that the formula knows it by. Parts are no multi graders themselves."""

    type: Literal["multi"]
    graders: dict[str, Part] = Field(min_length=1, max_length=32)
    calculate_output: str = Field(min_length=1, max_length=LONGEST)

    @field_validator("graders", mode="before")
    @classmethod
    def _by_name(cls, graders: object) -> object:
        if not isinstance(graders, dict) or isinstance(graders.get("type"), str):
            raise ValueError("graders is an object: a grader by each name that the formula uses")
        for name in graders:
            if _NAME.fullmatch(str(name)) is None or name in FUNCTIONS:
                raise ValueError(f"{str(name)[:100]!r} cannot be a name in a formula")
        return graders

    @model_validator(mode="after")
    def _computable(self) -> Self:
        unknown = Formula.read(self.calculate_output).names - self.graders.keys()
        if unknown:
            raise ValueError(
                f"calculate_output names {', '.join(sorted(unknown))[:200]}; the graders are {', '.join(self.graders)}"
            )
        return self

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(model for part in self.graders.values() for model in part.models))

    def check(self, subject: Subject) -> None:
        for part in self.graders.values():
            part.check(subject)

    async def grade(self, subject: Subject, models: Models) -> Grade:
        found = await _all(part.grade(subject, models) for part in self.graders.values())
        grades = dict(zip(self.graders, found, strict=True))
        rewards = {name: grade.reward for name, grade in grades.items()}
        try:
            reward = Formula.read(self.calculate_output).value(rewards)
        except Undefined as undefined:
            said = ", ".join(f"{name} {value:.4g}" for name, value in rewards.items())
            raise Unfit("formula_undefined", f"{undefined} ({said})") from undefined
        evidence: dict[str, JsonValue] = {"parts": {name: grade.evidence for name, grade in grades.items()}}
        return Grade(reward, f"{self.calculate_output[:100]} is {reward:.4g}", None, evidence, _usage(found), rewards)


async def _all(parts: Iterable[Awaitable[Grade]]) -> list[Grade]:
    """The grades of all parts. What the response did is raised last: a model's failure says nothing of it."""
    found = await asyncio.gather(*parts, return_exceptions=True)
    failures = [one for one in found if isinstance(one, BaseException)]
    if failures:
        raise next((one for one in failures if not isinstance(one, Unfit)), failures[0])
    return [one for one in found if isinstance(one, Grade)]


def _usage(grades: list[Grade]) -> dict[str, Usage]:
    """By model, of all parts."""
    found: dict[str, Usage] = {}
    for grade in grades:
        for model, usage in grade.usage.items():
            found[model] = found.get(model, Usage()) + usage
    return found
