"""Which records of the ledger somebody looks for."""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from app.kit.paging import Moment
from trueward.wire.base import Wire
from trueward.wire.sample import Split
from trueward.wire.verdict import Outcome

Kind = Literal["verdict", "reward"]
Name = Annotated[str, Field(max_length=512)]
Step = Annotated[int, Field(ge=0, le=2**53)]
_RANGE = re.compile(r"\s*(\d{1,16})\s*[-\u2013]\s*(\d{0,16})\s*")


def step_ends(text: str) -> tuple[int, int | None] | None:
    """The ends of ``20-30``, or of ``20-``, which has no last; None of anything else."""
    ends = _RANGE.fullmatch(text)
    return None if ends is None else (int(ends[1]), int(ends[2]) if ends[2] else None)


class LedgerFilters(Wire):
    """Verdicts or rewards; what is not named is not asked.

    ``recipe`` is a name or a content hash. ``score_min`` and ``score_max`` are inclusive, of rewards the reward.
    ``step_min`` and ``step_max`` are inclusive, too; ``step`` may be written as ``20-30``, or ``20-``. ``since`` is
    inclusive, ``until`` is not: when the record was made, which is before it was committed. ``text`` is looked for in
    prompt and response, whatever the case of ASCII letters.
    """

    kind: Kind = "verdict"
    verifier: Name | None = None
    recipe: Name | None = None
    outcome: Outcome | None = None
    score_min: FiniteFloat | None = None
    score_max: FiniteFloat | None = None
    run: Name | None = None
    step: Step | None = None
    step_min: Step | None = None
    step_max: Step | None = None
    group: Name | None = None
    split: Split | None = None
    policy: Name | None = None
    reason_code: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    text: Annotated[str, Field(max_length=1000)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _spread(cls, given: object) -> object:
        """A range of steps as its ends."""
        if not isinstance(given, dict) or not isinstance(given.get("step"), str):
            return given
        ends = step_ends(given["step"])
        if ends is None:
            return given
        return {**given, "step": None, "step_min": ends[0], "step_max": ends[1]}

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.step_min is not None and self.step_max is not None and self.step_max < self.step_min:
            raise ValueError(f"no step is from {self.step_min} to {self.step_max}: write the lower one first")
        if self.kind == "reward" and self.verifier is not None:
            raise ValueError("rewards are found by recipe, verdicts by verifier: choose verdicts, or leave it out")
        if self.kind == "verdict" and self.recipe is not None:
            raise ValueError("verdicts are found by verifier, rewards by recipe: choose rewards, or leave it out")
        return self

    def columns(self) -> dict[str, str | int]:
        """What columns of the table must equal, by name."""
        named = self.model_dump(
            include={"verifier", "outcome", "run", "step", "group", "split", "policy", "reason_code"},
            exclude_none=True,
        )
        if self.recipe is not None:
            named["recipe" if self.recipe.startswith("sha256:") else "recipe_name"] = self.recipe
        return {name: str(value) if isinstance(value, Outcome) else value for name, value in named.items()}

    @property
    def steps(self) -> str:
        """A step, or a range of them, as it may be written."""
        if not self.ranged:
            return "" if self.step is None else str(self.step)
        return f"{self.step_min or 0}-{'' if self.step_max is None else self.step_max}"

    @property
    def ranged(self) -> bool:
        """Whether steps are asked for by their ends."""
        return self.step_min is not None or self.step_max is not None

    @property
    def picks(self) -> bool:
        """Whether anything but columns, steps and times is asked."""
        return any(one is not None for one in (self.score_min, self.score_max, self.text))
