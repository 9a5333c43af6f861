"""Sends calls and awaits. Its twin in ``sending`` does the same and blocks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Self, TypeVar

import httpx2
import stamina

from trueward.client.call import Call, CallAnswer, RetryableFailure, transport_errors
from trueward.client.connection import ClientConnection
from trueward.client.deadline import Deadline
from trueward.client.paging import Pages
from trueward.client.plan import CallPlan, Progress

T = TypeVar("T")
A = TypeVar("A")
R = TypeVar("R")


class AsyncSender(ClientConnection[httpx2.AsyncClient]):
    """:class:`~trueward.client.sending.CallSender` for asyncio."""

    def _open(self, **options: Any) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(**options)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._owns:
            await self._http.aclose()

    async def call(self, call: Call[T], deadline_s: float | None = None) -> T:
        """Carries out one call, with retries."""
        return await self._send(call, self.deadline(deadline_s), self._attempts)

    @asynccontextmanager
    async def pieces(self, path: str, deadline: Deadline) -> AsyncIterator[AsyncIterator[bytes]]:
        """The answer to a GET as it arrives. Raises :class:`RetryableFailure` for what another try may mend."""
        call: Call[None] = Call("GET", path, lambda body: None)
        with transport_errors(self.url):
            async with self._stream(call, None, deadline) as response:
                if not response.is_success:
                    raise CallAnswer(call, response.status_code, response.headers, [await response.aread()]).refusal()
                yield response.aiter_bytes()

    async def entries(self, pages: Pages[T]) -> AsyncIterator[T]:
        """All entries of a list; a page is asked for when its first entry is."""
        after: str | None = None
        while True:
            found, after = await self.call(pages.call(after))
            for entry in found:
                yield entry
            if after is None:
                return

    async def carry_out(self, plan: CallPlan[A, R], deadline_s: float | None, progress: Progress | None) -> R:
        """Sends the calls of a plan, some at a time, and combines their answers."""
        deadline = self.deadline(deadline_s)
        return plan.combine(await self._send_all(plan.calls, deadline, progress))

    async def _send_all(self, wanted: Sequence[Call[A]], deadline: Deadline, progress: Progress | None) -> list[A]:
        room = asyncio.Semaphore(self._concurrency)
        done, total = 0, sum(call.size for call in wanted)

        async def send(call: Call[A]) -> A:
            nonlocal done
            async with room:
                answer = await self._send(call, deadline, self._attempts)
            done += call.size
            if progress is not None:
                progress(done, total)
            return answer

        tasks = [asyncio.ensure_future(send(call)) for call in wanted]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _send(self, call: Call[T], deadline: Deadline, attempts: int) -> T:
        body = call.body(deadline.remaining_s)
        try:
            async for attempt in stamina.retry_context(on=deadline.backoff(attempts), attempts=None, timeout=None):
                with attempt:
                    return await self._once(call, body, deadline)
        except RetryableFailure as last:
            raise deadline.final(last) from last.__cause__
        raise AssertionError("a try either returns or raises")

    async def _once(self, call: Call[T], body: Sequence[bytes], deadline: Deadline) -> T:
        content = body[0] if len(body) == 1 else _each(body)
        with transport_errors(self.url):
            async with self._stream(call, content if body else None, deadline) as response:
                answer = CallAnswer(call, response.status_code, response.headers)
                async for piece in response.aiter_bytes():
                    answer.pieces.append(piece)
                    deadline.check()
        return answer.read()

    def _stream(
        self, call: Call[Any], content: bytes | AsyncIterator[bytes] | None, deadline: Deadline
    ) -> AbstractAsyncContextManager[httpx2.Response]:
        return self._http.stream(
            call.method,
            f"{self.url}{call.path}",
            content=content,
            headers={**self._headers, **call.headers},
            timeout=deadline.timeout(),
        )


async def _each(blocks: Sequence[bytes]) -> AsyncIterator[bytes]:
    for block in blocks:
        yield block
