"""One device and its models: questions in, answers out, by the one thread that touches the device.

Every question is answered exactly once, with an answer, with what failed or with TimeoutError; a cancelled one at most
once. New weights come between two batches, after all that was asked before them. :class:`DeviceLost` is not caught: it
ends :meth:`Engine.run`, and who hosts the engine has to start another.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from queue import Empty, SimpleQueue

from judges.base import ModelBusy, ModelFailure, ModelUnavailable, UnknownModel, WeightsBehind
from judges.engine.batch import Batch
from judges.engine.encoder import Encoder
from judges.engine.item import Item, arrived
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
    Swap,
)
from judges.engine.residency import Residency
from judges.engine.schedule import Room, Schedule
from judges.engine.work import Loaded, Loader
from judges.questions import Generate
from trueward.models import Weights

_LOOK_S = 0.25
"""How often what waits for weights is looked through for deadlines that have passed, while nothing else happens."""

COUNTED = (
    "answered",
    "failed",
    "expired",
    "cancelled",
    "refused",
    "batches",
    "batch_tokens",
    "computed_tokens",
    "memory_splits",
    "swaps",
)
"""What an engine counts; ``batch_tokens`` without padding, ``computed_tokens`` with it."""


class Engine:
    """``tell`` is called by the owner thread with what there is to tell, several messages at a time."""

    def __init__(
        self,
        loader: Loader,
        tell: Callable[[Sequence[Message]], None],
        *,
        device: str,
        memory_bytes: int,
        batch_tokens: int,
        queue_tokens: int,
    ) -> None:
        self._tell = tell
        self._residency = Residency(loader, device=device, memory_bytes=memory_bytes)
        self._schedule = Schedule(batch_tokens=batch_tokens, queue_tokens=queue_tokens)
        self._encoder = Encoder(self._residency.peek)
        self._inbox: SimpleQueue[Sequence[Request | Item] | None] = SimpleQueue()
        self._items: dict[int, Item] = {}
        self._held: dict[int, Item] = {}
        self._swaps: list[tuple[int, Swap]] = []
        self._limits: dict[str, int] = {}
        self._told: list[Message] = []
        self._counted: Counter[str] = Counter()
        self._busy_s = 0.0
        self._began: float | None = None

    # from any thread

    def submit(self, requests: Sequence[Request]) -> None:
        """A model is registered before anything is asked of it."""
        now = time.monotonic()
        self._inbox.put([arrived(request, now) if isinstance(request, Ask) else request for request in requests])

    def stop(self) -> None:
        self._inbox.put(None)

    def beat(self) -> Beat:
        began = self._began
        counters = {
            "queue_items": len(self._schedule),
            "queue_tokens": self._schedule.tokens,
            "held_items": len(self._held),
            "loads": self._residency.loads,
            "evictions": self._residency.evictions,
            "memory_bytes": self._residency.bytes,
            "busy_s": self._busy_s,
        }
        return Beat(
            batch_s=0.0 if began is None else time.monotonic() - began,
            statuses=self._residency.status(),
            counters=counters | {name: self._counted[name] for name in COUNTED},
        )

    # the owner thread

    def run(self) -> None:
        """Until :meth:`stop`. Raises :class:`DeviceLost`, and then nothing more is answered."""
        try:
            while self._receive():
                self._expire()
                self._swap()
                self._step()
                self._flush()
        finally:
            self._encoder.close()

    def _receive(self) -> bool:
        """Takes in what has arrived, and waits for it where there is nothing else to do; False at the end."""
        idle = not self._schedule and not self._swaps
        try:
            requests = self._inbox.get(idle, _LOOK_S if self._held else None)
            while requests is not None:
                for request in requests:
                    self._take_in(request)
                requests = self._inbox.get_nowait()
        except Empty:
            return True
        return False

    def _take_in(self, request: Request | Item) -> None:
        match request:
            case Item():
                self._items[request.number] = request
                self._enqueue(request)
            case Cancel(number):
                self._cancel(number)
            case Register(entry, history):
                if entry.name not in self._residency or self._residency.entry(entry.name) != entry:
                    self._forget(entry.name)
                    self._residency.register(entry, list(history))
            case Load(number, model):
                self._reply(number, self._load(model))
            case Swap(_, model):
                self._swaps.append((self._schedule.fence(model), request))
            case Drop(model):
                self._forget(model)

    def _enqueue(self, item: Item) -> None:
        try:
            if item.model not in self._residency:
                raise UnknownModel(f"there is no model {item.model[:100]!r} here")
            if item.least_weights > self._residency.weights(item.model):
                self._held[item.number] = item
                return
            self._schedule.add(item)
            self._encoder.ahead(item)
        except ModelFailure as failure:
            self._counted["refused"] += isinstance(failure, ModelBusy)
            self._settle(item, failure)

    def _cancel(self, number: int) -> None:
        item = self._items.pop(number, None)
        if item is not None:
            self._schedule.drop(item)
            self._held.pop(number, None)
            self._counted["cancelled"] += 1

    def _expire(self) -> None:
        now = time.monotonic()
        for item in self._schedule.expire(now):
            self._counted["expired"] += 1
            self._settle(item, TimeoutError())
        for item in [item for item in self._held.values() if item.deadline <= now]:
            self._counted["expired"] += 1
            present = self._residency.weights(item.model)
            self._settle(item, WeightsBehind(f"its weights are of version {present}, not {item.least_weights}"))

    def _swap(self) -> None:
        """The swaps that nothing asked before them waits for any more."""
        due = [(fence, swap) for fence, swap in self._swaps if self._schedule.reached(swap.model, fence)]
        for fence, swap in due:
            self._swaps.remove((fence, swap))
            failure = None if self._residency.peek(swap.model) else self._load(swap.model)
            self._reply(swap.number, failure or self._swapped(swap))
            self._release(swap.model)

    def _swapped(self, swap: Swap) -> Weights | ValueError | ModelFailure:
        self._begin(Running((swap.number,)))
        try:
            weights = self._residency.swap(swap.model, swap.request)
        except (ValueError, ModelFailure) as failure:
            return failure
        self._counted["swaps"] += 1
        self._told.append(self.beat())
        return weights

    def _release(self, model: str) -> None:
        """What waited for newer weights may be served now, or waits on."""
        for item in [item for item in self._held.values() if item.model == model]:
            del self._held[item.number]
            self._enqueue(item)

    def _step(self) -> None:
        """One batch, or one load."""
        resident = self._residency.resident
        name = self._schedule.choose(time.monotonic(), resident, patience_s=self._residency.patience_s)
        if name is None:
            return
        if name not in resident:
            self._load(name)
            return
        loaded = self._residency.get(name)
        limit = self._limits.get(name, self._schedule.batch_tokens)
        items, room = self._encoded(self._schedule.take(name, packed=loaded.packed, limit=limit), loaded, limit)
        if items:
            self._run(items, room, loaded)

    def _load(self, name: str) -> ModelFailure | None:
        """Where it fails, all that waits for the model fails."""
        self._begin(Running(loading=name))
        waiting = [item for item in self._schedule if item.model == name]
        try:
            if name not in self._residency:
                raise UnknownModel(f"there is no model {name[:100]!r} here")
            self._residency.get(name)
        except ModelFailure as failure:
            for item in self._schedule.drain(name):
                self._settle(item, failure)
            return failure
        finally:
            self._told += [Running(), self.beat()]
        for item in waiting:
            self._encoder.ahead(item)
        return None

    def _encoded(self, items: Sequence[Item], loaded: Loaded, limit: int) -> tuple[list[Item], Room]:
        """Those that can run together, now that their lengths are known; the others are put back."""
        room, fitting = Room(limit, loaded.packed), []
        for item in items:
            self._encoder.encode(item, loaded)
            if item.failure is not None:
                self._settle(item, item.failure)
            elif room.admits(item.tokens):
                fitting.append(item)
            else:
                self._schedule.put_back([item])
        return fitting, room

    def _run(self, items: Sequence[Item], room: Room, loaded: Loaded) -> None:
        self._begin(Running(tuple(item.number for item in items)))
        batch = Batch(loaded, lambda: self._residency.evict_others(loaded.entry.name))
        self._began = began = time.monotonic()
        with self._encoder.paused() if isinstance(items[0].question, Generate) else nullcontext():
            results = batch.results(items)
        self._began = None
        self._busy_s += time.monotonic() - began
        self._counted["batches"] += 1
        self._counted["batch_tokens"] += room.total
        self._counted["computed_tokens"] += room.cost
        self._counted["memory_splits"] += batch.splits
        self._learn(loaded.entry.name, room, ran_out=batch.splits > 0)
        for item, result in results:
            self._settle(item, result)

    def _learn(self, name: str, room: Room, *, ran_out: bool) -> None:
        """After memory ran out batches are half as large, and then grow again: each time costs a forward pass."""
        if ran_out:
            self._limits[name] = max(1, room.cost // 2)
        elif name in self._limits:
            self._limits[name] = min(self._schedule.batch_tokens, self._limits[name] + 1 + self._limits[name] // 32)

    def _begin(self, running: Running) -> None:
        self._told.append(running)
        self._flush()

    def _forget(self, name: str) -> None:
        gone = ModelUnavailable(f"the model {name} was changed or taken away")
        for item in [item for item in self._items.values() if item.model == name]:
            self._schedule.drop(item)
            self._settle(item, gone)
        for _, swap in [waiting for waiting in self._swaps if waiting[1].model == name]:
            self._reply(swap.number, gone)
        self._swaps = [waiting for waiting in self._swaps if waiting[1].model != name]
        self._residency.drop(name)

    def _settle(self, item: Item, outcome: Outcome) -> None:
        """Answers an item, unless it was cancelled meanwhile."""
        self._held.pop(item.number, None)
        if self._items.pop(item.number, None) is not None:
            self._counted["failed" if isinstance(outcome, Exception) else "answered"] += 1
            self._reply(item.number, outcome)

    def _reply(self, number: int, outcome: Outcome) -> None:
        self._told.append(Reply(number, outcome))

    def _flush(self) -> None:
        if self._told:
            told, self._told = self._told, []
            self._tell(told)
