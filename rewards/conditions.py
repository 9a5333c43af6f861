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
    each by itself, whatever group they belong to. ``formulas`` are the versions above 1 of the shapings, rules and
    controls that priced, by name: what was recorded under an old formula is computed again by that one. None: the
    newest of each.
    """

    step: int | None = None
    rates: Mapping[str, Rates] = field(default_factory=dict)
    state: State = field(default_factory=State)
    histories: Mapping[str, Sequence[float]] = field(default_factory=dict)
    labelled_history: Sequence[float] = ()
    grouped: bool = True
    formulas: Mapping[str, int] | None = None

    def version(self, name: str, newest: int) -> int:
        """By which version of a formula these rewards are computed; ``newest`` is the one that the code has."""
        return newest if self.formulas is None else self.formulas.get(name, 1)


NOTHING_KNOWN = Conditions()
