"""What the runs endpoints take and answer."""

from __future__ import annotations

from pydantic import Field, JsonValue, StrictBool, StrictStr

from trueward.types import Run, Wire


class Pin(Wire):
    recipe: StrictStr | dict[str, JsonValue] | None = Field(default=None, description="recipe to pin from now on")
    strict: StrictBool | None = Field(default=None, description="refuse other verifier versions")
    reason: StrictStr = Field(min_length=1, max_length=1000, description="why; kept with the mark")


class RunList(Wire):
    runs: list[Run]
    next: str | None = None
