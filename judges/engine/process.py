"""An engine in a process of its own, one a device: what crashes or hangs there costs the server nothing.

The process is started when it is first needed. When it dies, or is at one batch for too long and is killed, another
takes its place and everything in flight is asked again; what was in the batch that it died of is asked alone then, and
fails if that is another's end too. When two die in a row with nothing achieved, everything in flight fails, and there
is a pause before the next. Models come back with the weights that they had. Questions of one turn of the event loop
travel together, and so do answers.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from math import inf, isfinite

from judges.backend import ModelStatus
from judges.base import ModelUnavailable, WeightsBehind
from judges.engine.engine import COUNTED
from judges.engine.launch import Child
from judges.engine.messages import (
    Ask,
    Beat,
    Cancel,
    Drop,
    Load,
    Message,
    Outcome,
    Register,
    Reply,
    Request,
    Running,
    Setup,
    Swap,
)
from judges.engine.work import extend_history
from judges.questions import Answer, Question
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

START_S = 60.0
"""Silence that is forgiven beside ``hang_s``: a process that starts on a crowded machine."""

_BEAT_S = 0.5
_VAIN = 2
_PAUSE_S, _PAUSE_MAX_S = 5.0, 300.0
_SUMS = (*COUNTED, "loads", "evictions", "busy_s")


@dataclass(eq=False, slots=True)
class _Flight:
    """A request on its way; ``entry`` is the model's, ``suspect``: a process died while this was in its batch."""

    request: Ask | Load | Swap
    entry: ModelEntry
    reply: asyncio.Future[Outcome]
    deadline: float = inf
    suspect: bool = False

    def settle(self, outcome: Outcome) -> None:
        if self.reply.done():
            return
        if isinstance(outcome, Exception):
            self.reply.set_exception(outcome)
            self.reply.exception()  # whoever asked may have left
        else:
            self.reply.set_result(outcome)


class EngineProcess:
    """A :class:`judges.backend.Backend`. ``memory_bytes`` for the weights of all models, ``batch_tokens`` a batch,
    ``queue_tokens`` that may wait; ``hang_s`` a batch may take; ``loader``: 'module:function' that loads a model."""

    def __init__(
        self,
        device: str,
        *,
        memory_bytes: int,
        batch_tokens: int,
        queue_tokens: int,
        hang_s: float,
        loader: str = "judges.engine.load:load",
    ) -> None:
        self._hang_s = hang_s
        self._setup = Setup(loader, device, memory_bytes, batch_tokens, queue_tokens, min(_BEAT_S, hang_s / 4))
        self._numbers = count(1)
        self._flights: dict[int, _Flight] = {}
        self._outbox: list[Request] = []
        self._entries: dict[str, ModelEntry] = {}
        self._history: dict[str, list[WeightsRequest]] = {}
        self._child: Child | None = None
        self._told: set[str] = set()
        self._running = Running()
        self._deaths: dict[str, int] = {}
        self._pauses: dict[str, float] = {}
        self._beat = Beat(0.0, {}, {})
        self._sums: defaultdict[str, float] = defaultdict(float)
        self._achieved = True
        self._vain = 0
        self._pause_until = -inf
        self._watching: asyncio.TimerHandle | None = None
        self._burials: set[asyncio.Task[None]] = set()
        self._closed = False
        self.restarts = 0

    async def ask(
        self, entry: ModelEntry, question: Question, *, deadline: float, flow: str, least_weights: int = 0
    ) -> Answer:
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        request = Ask(number, entry.name, question, flow, deadline - loop.time(), least_weights)
        flight = self._send(_Flight(request, entry, loop.create_future(), deadline))
        try:
            async with asyncio.timeout_at(deadline if isfinite(deadline) else None):
                answer = await flight.reply
        except TimeoutError:
            present = self._weights(entry.name)
            if least_weights > present:
                raise WeightsBehind(f"the weights are of version {present}, not {least_weights}") from None
            raise
        finally:
            if self._flights.pop(number, None) is not None:
                self._post(Cancel(number))
        assert isinstance(answer, Answer)
        return answer

    async def load(self, entry: ModelEntry) -> None:
        await self._insist(Load(next(self._numbers), entry.name), entry)

    async def swap(self, entry: ModelEntry, request: WeightsRequest) -> Weights:
        weights = await self._insist(Swap(next(self._numbers), entry.name, request), entry)
        assert isinstance(weights, Weights)
        return weights

    async def status(self) -> dict[str, ModelStatus]:
        return dict(self._beat.statuses)

    async def drop(self, name: str) -> None:
        for known in (self._history, self._entries, self._deaths, self._pauses):
            known.pop(name, None)
        self._told.discard(name)
        self._post(Drop(name))

    async def close(self) -> None:
        self._closed = True
        if self._watching is not None:
            self._watching.cancel()
        self._fail(self._flights.values(), ModelUnavailable("the service stops"))
        if self._child is not None:
            self._child.kill()
            await self._child.wait_ended()
        if self._burials:
            await asyncio.wait(self._burials)

    @property
    def alive(self) -> bool:
        """Whether there is a process, or none was needed yet."""
        return self._child is not None or (not self._closed and self._vain == 0)

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child is not None else None

    def counters(self) -> Mapping[str, float]:
        """Sums over all processes so far, what the present one holds, and ``restarts``: processes that died."""
        present = self._beat.counters
        sums = {name: self._sums[name] + present.get(name, 0) for name in _SUMS}
        return {**present, **sums, "restarts": self.restarts, "in_flight": len(self._flights)}

    # requests

    async def _insist(self, request: Load | Swap, entry: ModelEntry) -> Outcome:
        """A request that goes on when its caller leaves."""
        flight = self._send(_Flight(request, entry, asyncio.get_running_loop().create_future()))
        return await asyncio.shield(flight.reply)

    def _send(self, flight: _Flight) -> _Flight:
        """Raises :class:`ModelUnavailable` where there is no process to be had."""
        if self._closed:
            raise ModelUnavailable("the service stops")
        until = max(self._pauses.get(flight.entry.name, -inf), -inf if self._child else self._pause_until)
        pause_s = until - asyncio.get_running_loop().time()
        if pause_s > 0:
            raise ModelUnavailable(f"its process keeps dying; it is tried again in {pause_s:.0f} s")
        self._flights[flight.request.number] = flight
        self._post_flight(flight)
        if self._child is None:
            self._start()
        return flight

    def _post_flight(self, flight: _Flight) -> None:
        entry = flight.entry
        known = self._entries.get(entry.name)
        if known is not entry and known != entry:
            self._history.pop(entry.name, None)
            self._told.discard(entry.name)
        self._entries[entry.name] = entry
        if entry.name not in self._told:
            self._told.add(entry.name)
            self._post(Register(entry, tuple(self._history.get(entry.name, ()))))
        self._post(flight.request)

    def _post(self, request: Request) -> None:
        """Sends once the callbacks that are due have run: what is asked together travels together."""
        if not self._outbox:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outbox.append(request)

    def _flush(self) -> None:
        outbox, self._outbox = self._outbox, []
        if self._child is not None and outbox:
            self._child.send(outbox)

    def _weights(self, name: str) -> int:
        history = self._history.get(name)
        return history[-1].version or 0 if history else 0

    # the process

    def _start(self) -> None:
        child = Child(self._hear, self._lost)
        self._running, self._achieved = Running(), False
        try:
            child.start(self._setup)
        except OSError as failure:
            self._fail(self._flights.values(), ModelUnavailable(f"no process could be started: {failure}"))
            return
        self._child = child
        if self._watching is None:
            self._watch()

    def _watch(self) -> None:
        loop, child = asyncio.get_running_loop(), self._child
        self._watching = loop.call_later(self._setup.beat_s, self._watch)
        silence_s = loop.time() - child.heard_s if child is not None else 0.0
        if child is not None and (self._beat.batch_s > self._hang_s or silence_s > self._hang_s + START_S):
            child.kill()

    def _hear(self, message: Message) -> None:
        match message:
            case Reply(number, outcome):
                flight = self._flights.pop(number, None)
                if flight is not None:
                    self._achieved, self._vain = True, 0
                    self._remember(flight.request, outcome)
                    flight.settle(outcome)
            case Running():
                self._deaths.pop(self._running.loading or "", None)
                self._running = message
            case Beat():
                self._beat = message

    def _remember(self, request: Request, outcome: Outcome) -> None:
        if isinstance(request, Swap) and isinstance(outcome, Weights):
            history = self._history.get(request.model, [])
            self._history[request.model] = extend_history(history, request.request, outcome)

    def _lost(self, child: Child) -> None:
        """The process has died: another one, if somebody waits."""
        loop = asyncio.get_running_loop()
        burial = loop.create_task(child.wait_ended())
        self._burials.add(burial)
        burial.add_done_callback(self._burials.discard)
        self._child = None
        self._told.clear()
        for name in _SUMS:
            self._sums[name] += self._beat.counters.get(name, 0)
        self._beat = Beat(0.0, {name: ModelStatus("registered", "", self._weights(name)) for name in self._entries}, {})
        if self._closed:
            return
        self.restarts += 1
        if self._running.loading is None:
            self._suspect()
        else:
            self._blame(self._running.loading)
        self._vain = 0 if self._achieved else self._vain + bool(self._flights)
        if self._vain >= _VAIN:
            self._pause_until = loop.time() + _pause_s(self._vain)
            self._fail(self._flights.values(), ModelUnavailable("its process died, and so did the next"))
        if self._flights:
            self._again()

    def _suspect(self) -> None:
        """What was running may be why it died: alone next time, and never a third time."""
        for number in self._running.numbers:
            flight = self._flights.get(number)
            if flight is not None and flight.suspect:
                self._fail([flight], ModelUnavailable("its process died twice while it was at this"))
            elif flight is not None:
                flight.suspect = True

    def _blame(self, model: str) -> None:
        """A process died of loading a model. What the second does too is not tried again for a while."""
        deaths = self._deaths[model] = self._deaths.get(model, 0) + 1
        if deaths >= _VAIN:
            self._pauses[model] = asyncio.get_running_loop().time() + _pause_s(deaths)
            waiting = [flight for flight in self._flights.values() if flight.entry.name == model]
            self._fail(waiting, ModelUnavailable("its process dies when it is loaded"))

    def _again(self) -> None:
        """Asks a new process for everything in flight."""
        now = asyncio.get_running_loop().time()
        self._outbox.clear()
        for flight in self._flights.values():
            if isinstance(flight.request, Ask):
                flight.request = replace(flight.request, remaining_s=flight.deadline - now, alone=flight.suspect)
            self._post_flight(flight)
        self._start()

    def _fail(self, flights: Iterable[_Flight], failure: ModelUnavailable) -> None:
        for flight in list(flights):
            self._achieved = True
            del self._flights[flight.request.number]
            flight.settle(failure)


def _pause_s(deaths: int) -> float:
    return min(_PAUSE_MAX_S, _PAUSE_S * 2.0 ** (deaths - _VAIN))
