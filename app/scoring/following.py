"""Has one sample judged as its recipe asks: what is due at once, and then what the first verdicts make due.

Shadows are left out: nobody waits for them (:mod:`app.scoring.afterwards`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from app.scoring.admit import Admitted
from app.scoring.collect import Row, tasks_of
from app.scoring.lanes import Judge, Pending
from app.scoring.plan import Plan
from rewards.conditions import Conditions
from rewards.course import Course, Judgement
from rewards.judging import due
from trueward.types import Verdict
from trueward.verifier import Verifier

_SHARE_BEFORE_FALLBACK = 2 / 3


def follow(plan: Plan, lanes: Judge, item: Admitted, deadline: float, conditions: Conditions) -> Row:
    """The verdicts by key, or a task that ends with them; nothing for a sample that no route takes.

    ``conditions`` are those that its reward will be worked out with.
    """
    course = plan.recipe.course_of(item.sample)
    if course is None:
        return {}
    row = _next(plan, lanes, item, course, {}, deadline, conditions)
    if course.plain or not row:
        return row
    return asyncio.ensure_future(_to_the_end(plan, lanes, item, course, row, deadline, conditions))


async def _to_the_end(
    plan: Plan,
    lanes: Judge,
    item: Admitted,
    course: Course,
    row: Mapping[str, Pending],
    deadline: float,
    conditions: Conditions,
) -> Mapping[str, Verdict]:
    said: dict[str, Verdict] = {}
    while row:
        try:
            for key, waiting in row.items():
                said[key] = waiting if isinstance(waiting, Verdict) else await waiting
        finally:
            for task in tasks_of(row):
                task.cancel()
        row = _next(plan, lanes, item, course, said, deadline, conditions)
    return said


def wanted_first(plan: Plan, items: Sequence[Admitted]) -> list[tuple[Verifier, int]]:
    """Each verifier that samples need at once, with how many of them do."""
    counts: Counter[Judgement] = Counter()
    for item in items:
        course = plan.recipe.course_of(item.sample) if item.verdict is None else None
        if course is not None:
            counts.update(one for one in due(course, item.sample, {}) if not one.shadow)
    return [(plan.verifiers[one], count) for one, count in counts.items()]


def _next(
    plan: Plan,
    lanes: Judge,
    item: Admitted,
    course: Course,
    said: Mapping[str, Verdict],
    deadline: float,
    conditions: Conditions,
) -> dict[str, Pending]:
    return {
        one.key: lanes.judge(plan.verifiers[one], item, _ends(course, one, plan.verifiers[one], deadline))
        for one in due(course, item.sample, said, conditions)
        if not one.shadow
    }


def _ends(course: Course, one: Judgement, verifier: Verifier, deadline: float) -> float:
    """When a verifier's time is over: a model that is down is waited for, but not for what its fallback needs."""
    name, _, position = one.key.partition(":")
    before = int(position) if position.isdecimal() else 0
    term = next((term for term in course.terms if term.name == name), None)
    rest = term.fallback[before:] if term is not None and position != "appeal" else ()
    if verifier.lane != "model" or not rest or "missing" not in rest[0].when:
        return deadline
    now = asyncio.get_running_loop().time()
    return now + _SHARE_BEFORE_FALLBACK * (deadline - now)
