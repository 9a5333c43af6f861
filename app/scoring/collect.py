"""Waits for what the lanes judge: all of a batch, or what is ready as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence

from app.scoring.lanes import Pending
from trueward.types import Verdict

Row = Mapping[str, Pending] | asyncio.Future[Mapping[str, Verdict]]
"""What will be said of one sample, by key; or a task that ends with all of it."""


def arrived(row: Row) -> dict[str, Verdict]:
    """The verdicts of a row that is ready."""
    if isinstance(row, asyncio.Future):
        return dict(row.result())
    return {key: waiting if isinstance(waiting, Verdict) else waiting.result() for key, waiting in row.items()}


def tasks_of(row: Row) -> Sequence[asyncio.Future[Verdict] | asyncio.Future[Mapping[str, Verdict]]]:
    """What is still to be waited for."""
    if isinstance(row, asyncio.Future):
        return [row]
    return [waiting for waiting in row.values() if not isinstance(waiting, Verdict)]


async def ready(rows: Sequence[Row], *, in_waves: bool) -> AsyncIterator[list[int]]:
    """Indices whose verdicts are all there: as they come, or all at once at the end.

    Tasks end by the batch's deadline of themselves; when the caller goes away they are cancelled.
    """
    open_tasks = {index: tasks for index, row in enumerate(rows) if (tasks := tasks_of(row))}
    done_now = [index for index in range(len(rows)) if index not in open_tasks]
    try:
        if in_waves and done_now:
            yield done_now
            done_now = []
        while open_tasks:
            came = [index for index, tasks in open_tasks.items() if all(task.done() for task in tasks)]
            if not came:
                waiting = [task for tasks in open_tasks.values() for task in tasks if not task.done()]
                mode = asyncio.FIRST_COMPLETED if in_waves else asyncio.ALL_COMPLETED
                await asyncio.wait(waiting, return_when=mode)
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
