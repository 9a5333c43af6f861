"""What the models of a recipe's judges may cost."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from rewards.schema import Strict

Count = Annotated[int, Field(ge=1, le=2**53)]


class Budget(Strict):
    """For each run that uses the recipe; without a run, for the recipe and the key's owner."""

    cost: float | None = Field(None, gt=0, le=1e9, description="in the currency of the models' prices")
    tokens: Count | None = Field(None, description="tokens that models read and write")
    calls: Count | None = Field(None, description="questions that reach a model: what is kept or shared costs nothing")

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if self.cost is None and self.tokens is None and self.calls is None:
            raise ValueError("a budget bounds cost, tokens or calls: state at least one of them")
        return self
