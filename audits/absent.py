"""What is said where the ledger has nothing of a subject in a population: which of the two it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueward.wire.audit import Population, Subject

if TYPE_CHECKING:
    from audits.ports import Ledger


async def describe_absence(ledger: Ledger, subject: Subject) -> str:
    """Whether the ledger has anything of the subject outside the population, and what to name then."""
    if await ledger.list_versions(subject, Population()):
        return (
            f"the ledger has verdicts of {subject.name}, and none in this population: name another run, version, split "
            "or time, or none of them"
        )
    return (
        f"the ledger has no verdict of {subject.name} outside of audits: is that its name, and did this service judge "
        "by it?"
    )
