"""Many things that are asked of a lane in one call of a replica: a call costs milliseconds, a check microseconds.

What arrives within ``LINGER_S`` travels together, at most ``size`` at a time. Replies are told as they come. What a
call leaves unanswered, because its replica or node died or for any other reason, is told as lost, each item by itself:
whoever asked decides whether it is asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.lanes.ray.messages import Asked

LINGER_S = 0.002


class Teller(Protocol):
    """Who is told what became of the items, by their numbers."""

    def reply(self, number: int, body: bytes) -> None: ...

    def report_loss(self, number: int, why: str) -> None: ...


@dataclass(eq=False, slots=True)
class _Call:
    """One call under way: numbers by their places, of the items that are still wanted."""

    wanted: dict[int, int]
    task: asyncio.Task[None] | None = field(default=None)


class Batches:
    """``handle`` is the lane's deployment handle, for streams."""

    def __init__(self, handle: Any, size: int, teller: Teller) -> None:
        self._handle = handle
        self._size = size
        self._teller = teller
        self._waiting: dict[int, Asked] = {}
        self._calls: dict[int, _Call] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, number: int, asked: Asked, *, alone: bool) -> None:
        """``alone``: in a call of its own, for what was lost before."""
        if alone:
            self._call({number: asked})
            return
        self._waiting[number] = asked
        if len(self._waiting) >= self._size:
            self._flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LINGER_S, self._flush)

    def cancel(self, number: int) -> None:
        """Nobody waits for it any more. A call goes on while any other of its items is wanted."""
        if self._waiting.pop(number, None) is not None:
            return
        call = self._calls.pop(number, None)
        if call is not None and number in call.wanted.values():
            call.wanted = {place: other for place, other in call.wanted.items() if other != number}
            if not call.wanted and call.task is not None:
                call.task.cancel()

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._waiting:
            items, self._waiting = self._waiting, {}
            self._call(items)

    def _call(self, items: dict[int, Asked]) -> None:
        call = _Call(dict(enumerate(items)))
        for number in items:
            self._calls[number] = call
        call.task = asyncio.ensure_future(self._run(call, list(items.values())))

    async def _run(self, call: _Call, items: list[Asked]) -> None:
        why = "its replica answered without it"
        stream = self._handle.answer.remote(items)
        try:
            async for wave in stream:
                for place, body in wave:
                    for number in self._settled(call, place):
                        self._teller.reply(number, body)
        except asyncio.CancelledError:
            stream.cancel()
        except Exception as failure:  # noqa: BLE001 - whatever Ray raises, these items have no answer, and we say so
            why = f"{type(failure).__name__}: {str(failure)[:300]}"
        for place in list(call.wanted):
            for number in self._settled(call, place):
                self._teller.report_loss(number, why)

    def _settled(self, call: _Call, place: int) -> Iterator[int]:
        number = call.wanted.pop(place, None)
        if number is not None:
            self._calls.pop(number, None)
            yield number
