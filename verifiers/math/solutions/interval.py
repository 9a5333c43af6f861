"""Sets of real numbers as intervals: their ends, unions, intersections and complements, exact as far as values tell.

Wherever two ends are too near to tell apart the result is None.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verifiers.math.algebra.identity import identical
from verifiers.math.algebra.node import Node
from verifiers.math.algebra.probe import number


@dataclass(frozen=True, slots=True)
class End:
    """An endpoint; infinite ones have no expression."""

    at: float
    node: Node | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    low: End
    high: End


Region = list[Interval]
"""Disjoint intervals in ascending order."""

LOWEST, HIGHEST = End(-math.inf), End(math.inf)
ALL: Region = [Interval(LOWEST, HIGHEST)]


def point(end: End) -> Interval:
    closed = End(end.at, end.node, True)
    return Interval(closed, closed)


def finite(node: Node) -> End | None:
    found = number(node)
    return None if found is None or isinstance(found[0], complex) else End(found[0], node)


def make_interval(low: End, high: End) -> Region | None:
    order = compare_ends(low, high)
    if order is None:
        return None
    if order > 0 or (order == 0 and not (low.closed and high.closed)):
        return []
    return [Interval(_opened(low), _opened(high))]


def _opened(end: End) -> End:
    return End(end.at) if end.node is None else end


def compare_ends(one: End, other: End) -> int | None:
    """-1, 0, 1; None where two values are too near to tell."""
    if one.node is None or other.node is None:
        return (one.at > other.at) - (one.at < other.at)
    if abs(one.at - other.at) > 1e-9 * max(abs(one.at), abs(other.at), 1e-3):
        return 1 if one.at > other.at else -1
    found = identical(one.node, other.node)
    if found is None:
        return None
    return 0 if found.equal else (one.at > other.at) - (one.at < other.at) or None


def union(parts: list[Region | None]) -> Region | None:
    """Sorted by their lower ends, those that overlap or touch joined."""
    if any(part is None for part in parts):
        return None
    found: Region = []
    every = [interval for part in parts if part for interval in part]
    for interval in sorted(every, key=lambda one: (one.low.at, not one.low.closed)):
        order = compare_ends(found[-1].high, interval.low) if found else -1
        if order is None:
            return None
        if order < 0 or (order == 0 and not (found[-1].high.closed or interval.low.closed)):
            found.append(interval)
            continue
        last = found.pop()
        high = _outer(last.high, interval.high, 1)
        if high is None:
            return None
        found.append(Interval(last.low, high))
    return found


def common(one: Region | None, other: Region | None) -> Region | None:
    if one is None or other is None:
        return None
    found: list[Region | None] = []
    for left in one:
        for right in other:
            low, high = _outer(left.low, right.low, 1, inner=True), _outer(left.high, right.high, -1, inner=True)
            found.append(None if low is None or high is None else make_interval(low, high))
    return union(found)


def _outer(one: End, other: End, direction: int, *, inner: bool = False) -> End | None:
    """The end that lies further in a direction; of equal ones the closed, for an intersection the open."""
    order = compare_ends(one, other)
    if order is None:
        return None
    if order == 0:
        return one if one.closed != inner else other
    return one if order == direction else other


def without(whole: Region | None, taken: Region | None) -> Region | None:
    return None if taken is None else common(whole, _complement(taken))


def _complement(taken: Region) -> Region:
    """The gaps: each end belongs to one of its two sides."""
    found: Region = []
    low = LOWEST
    for interval in taken:
        if interval.low.node is not None:
            found.append(Interval(low, End(interval.low.at, interval.low.node, not interval.low.closed)))
        low = End(interval.high.at, interval.high.node, not interval.high.closed)
    return [*found, Interval(low, HIGHEST)] if not taken or low.node is not None else found


def same(answer: Region, reference: Region) -> bool | None:
    """Whether two regions have the same ends; None where two ends are too near to tell."""
    if len(answer) != len(reference):
        return False
    undecided = False
    for one, other in zip(answer, reference, strict=True):
        for ours, theirs in ((one.low, other.low), (one.high, other.high)):
            order = compare_ends(ours, theirs)
            if order or ours.closed != theirs.closed:
                return False
            undecided |= order is None
    return None if undecided else True
