"""Which records of the ledger somebody looks for."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, FiniteFloat, model_validator

from app.kit.slice import Moment
from trueward.types import Outcome, Split, Wire

Kind = Literal["verdict", "reward"]
Name = Annotated[str, Field(max_length=512)]


class LedgerFilters(Wire):
    """Verdicts or rewards; what is not named is not asked.

    ``recipe`` is a name or a content hash. ``score_min`` and ``score_max`` are inclusive, of rewards the reward.
    ``since`` is inclusive, ``until`` is not: when the record was made, which is before it was committed. ``text`` is
    looked for in prompt and response, whatever the case of ASCII letters.
    """

    kind: Kind = "verdict"
    verifier: Name | None = None
    recipe: Name | None = None
    outcome: Outcome | None = None
    score_min: FiniteFloat | None = None
    score_max: FiniteFloat | None = None
    run: Name | None = None
    step: Annotated[int, Field(ge=0, le=2**53)] | None = None
    group: Name | None = None
    split: Split | None = None
    policy: Name | None = None
    reason_code: Name | None = None
    since: Moment | None = None
    until: Moment | None = None
    text: Annotated[str, Field(max_length=1000)] | None = None

    @model_validator(mode="after")
    def _fits_its_kind(self) -> Self:
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
    def picks(self) -> bool:
        """Whether anything but columns and times is asked."""
        return any(one is not None for one in (self.score_min, self.score_max, self.text))
