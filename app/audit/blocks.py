"""Requests of an audit that judges groups: as many groups at a time as fit into one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.audit.judging import AT_ONCE


def blocks(sizes: Sequence[int], at_once: int = AT_ONCE) -> Iterator[slice]:
    """Consecutive groups of these sizes that together have at most ``at_once`` samples; a larger one comes alone."""
    start, held = 0, 0
    for place, size in enumerate(sizes):
        if held and held + size > at_once:
            yield slice(start, place)
            start, held = place, 0
        held += size
    if start < len(sizes):
        yield slice(start, len(sizes))
