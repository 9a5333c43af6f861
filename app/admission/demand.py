"""What a request demands of the lanes, beside its samples: handed to whatever is started for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.admission.budget.charge import Purse


@dataclass(frozen=True, slots=True)
class Demand:
    """``flow`` names the request, so that questions of several take turns; ``weights`` is the least version of each
    model's weights that may answer; ``purse`` pays, where what is asked has a budget or is counted; ``project`` is
    whose turn it is in a lane."""

    flow: str = ""
    weights: Mapping[str, int] = field(default_factory=dict)
    purse: Purse | None = None
    project: str | None = None


NONE = Demand()
"""Of what no request asks for, such as a probe."""
