"""A run of training or evaluation: what its first request pinned, and what its judges have cost."""

from __future__ import annotations

from pydantic import Field, JsonValue, StrictBool, StrictStr

from trueward.wire.base import Wire


class Spending(Wire):
    """What judges' models were asked: ``cost`` by the models' prices, ``tokens`` read and written, ``calls``."""

    cost: float = 0.0
    tokens: int = 0
    calls: int = 0


class Allowance(Wire):
    """The most of each; null where there is no bound."""

    cost: float | None = None
    tokens: int | None = None
    calls: int | None = None


class Run(Wire):
    """One training or evaluation run, and what its first request pinned.

    ``spent`` is what the judges of the pinned recipe have cost this run, of its ``budget``; both are null before a
    model is asked, and in a list of runs.
    """

    id: str
    project: str = "default"
    recipe: str | None = None
    verifiers: dict[str, str] = Field(default={})
    strict: bool = False
    created_at: str = ""
    marks: list[dict[str, JsonValue]] = Field(default=[])
    spent: Spending | None = None
    budget: Allowance | None = None


class Pin(Wire):
    recipe: StrictStr | dict[str, JsonValue] | None = Field(default=None, description="recipe to pin from now on")
    strict: StrictBool | None = Field(default=None, description="refuse other verifier versions")
    reason: StrictStr = Field(min_length=1, max_length=1000, description="why; kept with the mark")


class RunList(Wire):
    runs: list[Run]
    next: str | None = None
