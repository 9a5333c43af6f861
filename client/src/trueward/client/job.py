"""A job that a service works on: its state, its end, its results. ``AsyncJob`` awaits what ``Job`` blocks on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import stamina
from pydantic import TypeAdapter, ValidationError

from trueward.client import calls
from trueward.client.call import RetryableFailure
from trueward.client.plan import Progress
from trueward.client.state import JobState
from trueward.errors import DeadlineExceeded, UnexpectedAnswer
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict

if TYPE_CHECKING:
    from trueward.client.awaiting import AsyncClient
    from trueward.client.blocking import Client

Result = Verdict | Reward
_RESULT: TypeAdapter[Result] = TypeAdapter(Verdict | Reward)
_ATTEMPTS = 10


class ResultLines:
    """Cuts a stream of NDJSON into results; after :meth:`reopen` it skips those it has given already."""

    def __init__(self) -> None:
        self._given = 0
        self._skip = 0
        self._rest = b""

    def reopen(self) -> None:
        self._skip, self._rest = self._given, b""

    def feed(self, piece: bytes) -> Iterator[Result]:
        *lines, self._rest = (self._rest + piece).split(b"\n")
        for line in lines:
            if not line.strip():
                continue
            if self._skip:
                self._skip -= 1
                continue
            self._given += 1
            yield self._result(line)

    def end(self) -> None:
        """Raises :class:`UnexpectedAnswer` where the stream ended within a line."""
        if self._rest.strip():
            raise UnexpectedAnswer("the results of the job ended within a line")

    def _result(self, line: bytes) -> Result:
        try:
            return _RESULT.validate_json(line, extra="ignore")
        except ValidationError as wrong:
            raise UnexpectedAnswer(
                f"line {self._given} of the job's results is neither a verdict nor a reward"
            ) from wrong


class Job:
    """A job by its ``id``. Made by :meth:`Client.submit` and :meth:`Client.job`."""

    def __init__(self, client: Client, job_id: str) -> None:
        self.id = job_id
        self._client = client

    def __repr__(self) -> str:
        return f"Job({self.id!r})"

    def status(self) -> JobState:
        return self._client.call(calls.job(self.id))

    def wait(self, timeout_s: float | None = None, progress: Progress | None = None) -> JobState:
        """Looks until the job is completed, cancelled or failed. Raises :class:`DeadlineExceeded`."""
        started = time.monotonic()
        for wait_s in calls.polls():
            state = self.status()
            _tell(state, progress)
            if state.ended:
                return state
            time.sleep(next_look(f"job {self.id}", started, wait_s, timeout_s))
        raise AssertionError("polls never end")

    def results(self) -> Iterator[Result]:
        """Verdicts or rewards in input order, as they arrive; a cut stream is taken up where it ended."""
        lines = ResultLines()
        deadline = self._client.deadline()
        try:
            for attempt in stamina.retry_context(on=deadline.backoff(_ATTEMPTS), attempts=None, timeout=None):
                with attempt:
                    lines.reopen()
                    with self._client.pieces(calls.results_path(self.id), deadline) as pieces:
                        for piece in pieces:
                            yield from lines.feed(piece)
                    lines.end()
        except RetryableFailure as last:
            raise last.error from last.__cause__

    def cancel(self) -> JobState:
        """What is done stays; what is not is dropped."""
        self._client.call(calls.cancel(self.id))
        return self.status()


class AsyncJob:
    """The same, awaited."""

    def __init__(self, client: AsyncClient, job_id: str) -> None:
        self.id = job_id
        self._client = client

    def __repr__(self) -> str:
        return f"AsyncJob({self.id!r})"

    async def status(self) -> JobState:
        return await self._client.call(calls.job(self.id))

    async def wait(self, timeout_s: float | None = None, progress: Progress | None = None) -> JobState:
        """Looks until the job is completed, cancelled or failed. Raises :class:`DeadlineExceeded`."""
        started = time.monotonic()
        for wait_s in calls.polls():
            state = await self.status()
            _tell(state, progress)
            if state.ended:
                return state
            await asyncio.sleep(next_look(f"job {self.id}", started, wait_s, timeout_s))
        raise AssertionError("polls never end")

    async def results(self) -> AsyncIterator[Result]:
        """Verdicts or rewards in input order, as they arrive; a cut stream is taken up where it ended."""
        lines = ResultLines()
        deadline = self._client.deadline()
        try:
            async for attempt in stamina.retry_context(on=deadline.backoff(_ATTEMPTS), attempts=None, timeout=None):
                with attempt:
                    lines.reopen()
                    async with self._client.pieces(calls.results_path(self.id), deadline) as pieces:
                        async for piece in pieces:
                            for result in lines.feed(piece):
                                yield result
                    lines.end()
        except RetryableFailure as last:
            raise last.error from last.__cause__

    async def cancel(self) -> JobState:
        """What is done stays; what is not is dropped."""
        await self._client.call(calls.cancel(self.id))
        return await self.status()


def _tell(state: JobState, progress: Progress | None) -> None:
    if progress is not None:
        progress(state.done, state.total)


def next_look(what: str, started: float, wait_s: float, timeout_s: float | None) -> float:
    """Seconds to wait before the next look at what was begun at ``started``. Raises :class:`DeadlineExceeded`."""
    if timeout_s is None:
        return wait_s
    left_s = started + timeout_s - time.monotonic()
    if left_s <= 0:
        raise DeadlineExceeded(f"{what} has not ended within {timeout_s:g} s; it goes on: ask again later")
    return min(wait_s, left_s)
