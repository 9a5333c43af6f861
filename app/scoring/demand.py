"""What a request demands of the model lane, beside its samples: known to whatever is started for it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field

from app.scoring.budget.charge import Purse


@dataclass(frozen=True, slots=True)
class Demand:
    """``flow`` names the request, so that questions of several take turns; ``weights`` is the least version of each
    model's weights that may answer; ``purse`` pays, where what is asked has a budget or is counted; ``project`` is
    whose turn it is in a lane."""

    flow: str = ""
    weights: Mapping[str, int] = field(default_factory=dict)
    purse: Purse | None = None
    project: str | None = None


_NONE = Demand()
_demand: ContextVar[Demand] = ContextVar("demand", default=_NONE)


def set_demand(demand: Demand) -> None:
    """For the present task, and those that it starts from now on."""
    _demand.set(demand)


def demanded() -> Demand:
    return _demand.get()
