"""Aims on the wire: how well an error rate of a run shall be known, and what is to be labelled for it next."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StrictBool, StrictStr, model_validator

from trueward.wire.audit import Level, Population, Subject
from trueward.wire.base import Number, Wire

AimedRate = Literal["false_positive", "false_negative"]
Inside = Annotated[Number, Field(gt=0, lt=1)]


class LabelAim(Wire):
    """What ``POST /v1/labels/aims`` takes: one of ``width`` (of the interval) and ``limit`` (which side of it the rate
    is on).

    ``second`` is another subject, whose verdicts tell where errors may be; so does ``by``, a feature that an audit can
    slice by, such as ``data_source``. The claim is about the responses of this population; with ``at_large`` it is
    about the verifier, of which they are a sample. ``first`` is about how many are drawn before anything is known.
    """

    subject: Subject
    second: Subject | None = None
    by: StrictStr | None = Field(default=None, max_length=64)
    population: Population = Population()
    rate: AimedRate = "false_positive"
    width: Inside | None = None
    limit: Inside | None = None
    at_large: StrictBool = False
    level: Level = 0.95
    first: int = Field(default=300, ge=20, le=100_000)
    guidelines: StrictStr = Field(default="", max_length=20_000)

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.width is None) == (self.limit is None):
            raise ValueError("name a width or a limit, exactly one of them")
        return self


class AimState(Wire):
    """How far an aim is. ``label``: ``left`` items of the draw have to be labelled, then ask again. ``reached``.
    ``exhausted``: everything is labelled, and the target is not reached.

    ``rate`` and ``interval`` are those of the last look, at the end of a batch; ``level`` is the interval's own, which
    leaves enough for all other looks. ``below`` says on which side of the limit the rate is, once that is known.
    """

    state: Literal["label", "reached", "exhausted"]
    draw: str = Field(description="the newest draw; it contains those before it")
    batch: int
    labelled: int = Field(description="responses with a label")
    left: int = Field(description="items of the draw without one")
    population: int = Field(description="different responses that could be drawn")
    rate: float | None = None
    interval: tuple[float, float] | None = None
    level: float | None = None
    below: bool | None = None
    claim: str = Field(default="", description="what the last look says, and of what")
    notes: list[str] = Field(default=[])
