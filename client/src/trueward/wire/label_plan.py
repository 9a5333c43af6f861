"""How many labels an error rate takes: the question, and the plan."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from trueward.wire.audit import Level
from trueward.wire.base import Number, Wire

Rate = Annotated[Number, Field(ge=0, le=1)]
Inside = Annotated[Number, Field(ge=1e-6, le=1 - 1e-6)]


class LabelQuestion(Wire):
    """How many labels will it take? Until a gate at ``max_fpr`` or ``max_fnr`` is passed with probability ``power``, or
    until an interval is no wider than ``width``.

    ``expected_fpr`` and ``expected_fnr`` are what the rates are thought to be (default: half of the limit).
    ``share_wrong`` of the responses are truly wrong (default 0.5); ``group_size`` of them answer one prompt, and their
    errors correlate by ``correlation``.
    """

    max_fpr: Inside | None = None
    max_fnr: Inside | None = None
    expected_fpr: Rate | None = None
    expected_fnr: Rate | None = None
    width: Inside | None = None
    share_wrong: Inside | None = None
    group_size: Annotated[Number, Field(ge=1, le=1_000_000)] = 1
    correlation: Rate = 0
    power: Annotated[Number, Field(gt=0, le=0.9999)] = 0.8
    level: Level = 0.95


class LabelPlan(Wire):
    """How many labels a gate or an interval takes. ``wrong`` and ``right`` are truly wrong and right responses to
    label; ``responses`` is how many to label where these are found at random."""

    wrong: int | None = None
    right: int | None = None
    responses: int
    notes: list[str] = Field(default=[])
