"""Has samples judged as their recipe asks, and waits for it: all of a batch, or what is ready as it comes.

Of a sample is judged what is due at once, and then what the first verdicts make due. Shadows are left out: nobody waits
for them (:mod:`app.path.follow_up`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence

from app.admission.admit import Admitted
from app.lanes.lanes import Judge, Pending
from app.path.caller import RequestTurn
from app.path.plan import RecipePlan
from rewards.conditions import Conditions
from rewards.course import Course, Judgement
from rewards.judging import due
from trueward.authoring.verifier import Verifier
from trueward.wire.verdict import Verdict

Row = Mapping[str, Pending] | asyncio.Future[Mapping[str, Verdict]]
"""The verdicts of one sample by key, some of them pending; or a task that returns all of them."""

_SHARE_BEFORE_FALLBACK = 2 / 3


def judge_sample(
    plan: RecipePlan, lanes: Judge, item: Admitted, course: Course | None, deadline: float, conditions: Conditions
) -> Row:
    """The verdicts by key, or a task that returns them. Empty for a sample that no route takes.

    ``conditions`` are those that its reward will be worked out with.
    """
    if course is None:
        return {}
    row = _next(plan, lanes, item, course, {}, deadline, conditions)
    if course.plain or not row:
        return row
    return asyncio.ensure_future(_to_the_end(plan, lanes, item, course, row, deadline, conditions))


async def _to_the_end(
    plan: RecipePlan,
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


def count_due(plan: RecipePlan, items: Sequence[Admitted]) -> list[tuple[Verifier, int]]:
    """Each verifier that samples need at once, with how many of them do."""
    counts: Counter[Judgement] = Counter()
    for item in items:
        course = plan.recipe.course_of(item.sample) if item.verdict is None else None
        if course is not None:
            counts.update(one for one in due(course, item.sample, {}) if not one.shadow)
    return [(plan.verifiers[one], count) for one, count in counts.items()]


def _next(
    plan: RecipePlan,
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
    """The deadline of one verifier. A model with a fallback gets a part of the time, its fallback the rest."""
    name, _, position = one.key.partition(":")
    before = int(position) if position.isdecimal() else 0
    term = next((term for term in course.terms if term.name == name), None)
    rest = term.fallback[before:] if term is not None and position != "appeal" else ()
    if verifier.lane != "model" or not rest or "missing" not in rest[0].when:
        return deadline
    now = asyncio.get_running_loop().time()
    return now + _SHARE_BEFORE_FALLBACK * (deadline - now)


def collect_verdicts(row: Row) -> dict[str, Verdict]:
    """The verdicts of a row that is ready."""
    if isinstance(row, asyncio.Future):
        return dict(row.result())
    return {key: waiting if isinstance(waiting, Verdict) else waiting.result() for key, waiting in row.items()}


def tasks_of(row: Row) -> Sequence[asyncio.Future[Verdict] | asyncio.Future[Mapping[str, Verdict]]]:
    """The tasks of a row that are not finished."""
    if isinstance(row, asyncio.Future):
        return [row]
    return [waiting for waiting in row.values() if not isinstance(waiting, Verdict)]


async def iter_ready(
    rows: Sequence[Row], turn: RequestTurn | None = None, *, in_waves: bool
) -> AsyncIterator[list[int]]:
    """Indices whose verdicts are all there: as they come, or all at once at the end. The ``turn`` rests meanwhile.

    Tasks end by the batch's deadline of themselves; when the caller goes away they are cancelled.
    """
    open_tasks = {index: tasks for index, row in enumerate(rows) if (tasks := tasks_of(row))}
    done_now = [index for index in range(len(rows)) if index not in open_tasks]
    try:
        if open_tasks:
            await asyncio.sleep(0)  # what was started begins
        if in_waves and done_now:
            yield done_now
            done_now = []
        while open_tasks:
            came = [index for index, tasks in open_tasks.items() if all(task.done() for task in tasks)]
            if not came:
                waiting = [task for tasks in open_tasks.values() for task in tasks if not task.done()]
                mode = asyncio.FIRST_COMPLETED if in_waves else asyncio.ALL_COMPLETED
                if turn is not None:
                    turn.pause()
                await asyncio.wait(waiting, return_when=mode)
                if turn is not None:
                    turn.resume()
                continue
            for index in came:
                del open_tasks[index]
            done_now += came
            if in_waves and done_now:
                yield done_now
                done_now = []
        if done_now:
            yield sorted(done_now)
    finally:
        for tasks in open_tasks.values():
            for task in tasks:
                task.cancel()
