"""What a comparison found: equal or not, under a stable code, with the numbers that refute it where there are any."""

from __future__ import annotations

from dataclasses import dataclass

from verifiers.math.algebra.probe import Witness


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the two are the same answer, under a stable code.

    ``rules`` are the names of those that let something pass that only one side says.
    """

    equal: bool
    code: str
    witness: Witness | None = None
    rules: tuple[str, ...] = ()
