"""Sends calls and blocks: connections, retries, chunks at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property, partial
from typing import Any, Self, TypeVar

import httpx2
import stamina

from trueward.client.call import Call, CallAnswer, RetryableFailure, transport_errors
from trueward.client.connection import ClientConnection
from trueward.client.deadline import Deadline
from trueward.client.paging import Pages
from trueward.client.plan import CallPlan, Progress
from trueward.client.threads import Threads

T = TypeVar("T")
A = TypeVar("A")
R = TypeVar("R")


class CallSender(ClientConnection[httpx2.Client]):
    """Sends calls to a service with retries, batches in chunks, some at a time. Its connections stay open."""

    def _open(self, **options: Any) -> httpx2.Client:
        return httpx2.Client(**options)

    @cached_property
    def _stragglers(self) -> list[Threads[Any]]:
        return []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Waits for what a failed call left under way, but not for what Ctrl-C did, then closes the connections."""
        for threads in self._stragglers:
            threads.join()
        if self._owns:
            self._http.close()

    def call(self, call: Call[T], deadline_s: float | None = None) -> T:
        """Carries out one call, with retries."""
        return self._send(call, self.deadline(deadline_s), self._attempts)

    @contextmanager
    def pieces(self, path: str, deadline: Deadline) -> Iterator[Iterator[bytes]]:
        """The answer to a GET as it arrives. Raises :class:`RetryableFailure` for what another try may mend."""
        call: Call[None] = Call("GET", path, lambda body: None)
        with transport_errors(self.url), self._stream(call, None, deadline) as response:
            if not response.is_success:
                raise CallAnswer(call, response.status_code, response.headers, [response.read()]).refusal()
            yield response.iter_bytes()

    def entries(self, pages: Pages[T]) -> Iterator[T]:
        """All entries of a list; a page is asked for when its first entry is."""
        after: str | None = None
        while True:
            found, after = self.call(pages.call(after))
            yield from found
            if after is None:
                return

    def carry_out(self, plan: CallPlan[A, R], deadline_s: float | None, progress: Progress | None) -> R:
        """Sends the calls of a plan, some at a time, and combines their answers."""
        deadline = self.deadline(deadline_s)
        return plan.combine(self._send_all(plan.calls, deadline, progress))

    def _send_all(self, wanted: Sequence[Call[A]], deadline: Deadline, progress: Progress | None) -> list[A]:
        if len(wanted) == 1 and progress is None:
            return [self._send(wanted[0], deadline, self._attempts)]
        threads = Threads([partial(self._send, call, deadline, self._attempts) for call in wanted], self._concurrency)
        try:
            answers: dict[int, A] = {}
            total = sum(call.size for call in wanted)
            for place, answer in threads:
                answers[place] = answer
                if progress is not None:
                    progress(sum(wanted[done].size for done in answers), total)
            return [answers[place] for place in range(len(wanted))]
        except Exception:  # whatever it is, it is raised again
            self._stragglers.append(threads)  # its requests under way end by themselves; close() waits for them
            raise
        finally:
            deadline.stop()
            threads.cancel()

    def _send(self, call: Call[T], deadline: Deadline, attempts: int) -> T:
        body = call.body(deadline.remaining_s)
        try:
            for attempt in stamina.retry_context(on=deadline.backoff(attempts), attempts=None, timeout=None):
                with attempt:
                    return self._once(call, body, deadline)
        except RetryableFailure as last:
            raise deadline.final(last) from last.__cause__
        raise AssertionError("a try either returns or raises")

    def _once(self, call: Call[T], body: Sequence[bytes], deadline: Deadline) -> T:
        content = body[0] if len(body) == 1 else iter(body)
        with transport_errors(self.url), self._stream(call, content if body else None, deadline) as response:
            answer = CallAnswer(call, response.status_code, response.headers)
            for piece in response.iter_bytes():
                answer.pieces.append(piece)
                deadline.check()
        return answer.read()

    def _stream(
        self, call: Call[Any], content: bytes | Iterator[bytes] | None, deadline: Deadline
    ) -> AbstractContextManager[httpx2.Response]:
        return self._http.stream(
            call.method,
            f"{self.url}{call.path}",
            content=content,
            headers={**self._headers, **call.headers},
            timeout=deadline.timeout(),
        )
