"""What is said where the ledger has nothing of a subject in a population: which of the two it does not know."""

from __future__ import annotations


def describe_absence(subject: str, *, elsewhere: bool) -> str:
    """``elsewhere``: whether the ledger has anything of it outside the population."""
    if elsewhere:
        return (
            f"the ledger has verdicts of {subject}, and none in this population: name another run, version, split or "
            "time, or none of them"
        )
    return (
        f"the ledger has no verdict of {subject} outside of audits: is that its name, and did this service judge by it?"
    )
