"""What a reward depends on beside recipe, sample and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rewards.noise.rates import Rates
from rewards.state import State


@dataclass(frozen=True, slots=True)
class Conditions:
    """The training step, the rates of each audit that the recipe names, the run's state, and what is known of prompts.

    ``rates`` are keyed by the audit's id, ``histories`` (past success rates of a prompt, oldest first) by group;
    ``labelled_history`` is the mean history of prompts that have a label. ``grouped`` is False where samples are priced
    each by itself, whatever group they belong to.
    """

    step: int | None = None
    rates: Mapping[str, Rates] = field(default_factory=dict)
    state: State = field(default_factory=State)
    histories: Mapping[str, Sequence[float]] = field(default_factory=dict)
    labelled_history: Sequence[float] = ()
    grouped: bool = True


NOTHING_KNOWN = Conditions()
