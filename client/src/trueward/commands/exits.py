"""How a command ends: the exit codes."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueward.wire.verdict import Outcome

_ACCEPTED = frozenset({"correct", "scored"})


class ExitCode(IntEnum):
    """``scored`` has no pass line and counts as accepted; ``partial`` counts as rejected."""

    ACCEPTED = 0
    REJECTED = 1
    USAGE = 2
    MISSING = 3
    FAILED = 4


def exit_code(outcomes: Iterable[Outcome]) -> ExitCode:
    """The exit code of a batch; one missing verdict outweighs any number of rejected ones."""
    seen = set(outcomes)
    if any(outcome.missing for outcome in seen):
        return ExitCode.MISSING
    return ExitCode.ACCEPTED if {str(outcome) for outcome in seen} <= _ACCEPTED else ExitCode.REJECTED
