"""One device and its models: questions in, answers out, by the one thread that touches the device.

Every question is answered exactly once, with an answer, with what failed or with TimeoutError; a cancelled one at most
once. New weights come between two batches, after all that was asked before them. Texts are written a token at a time;
between two tokens whoever does not wait any more leaves, and questions that are only read are answered, in about half
of the time at most. :class:`DeviceLost` is not caught: it ends :meth:`Engine.run`, and who hosts the engine has to
start another.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue

from judges.base import ModelBusy, ModelFailure, ModelUnavailable, UnknownModel, WeightsBehind
from judges.engine.batch import Batch, Results
from judges.engine.draft import Draft
from judges.engine.encoder import Encoder
from judges.engine.item import Item, make_item
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
from trueward.wire.model import Weights

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
        self._running = Running()
        self._draft: Draft | None = None
        self._lead_s = 0.0

    # from any thread

    def submit(self, requests: Sequence[Request]) -> None:
        """A model is registered before anything is asked of it."""
        now = time.monotonic()
        self._inbox.put([make_item(request, now) if isinstance(request, Ask) else request for request in requests])

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
        idle = not self._schedule and not self._swaps and self._draft is None
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
            self._encoder.encode_ahead(item)
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
        for item in [item for item in self._draft.items if item.deadline <= now] if self._draft else ():
            self._counted["expired"] += item.number in self._items
            self._settle(item, TimeoutError())
        for item in [item for item in self._held.values() if item.deadline <= now]:
            self._counted["expired"] += 1
            present = self._residency.weights(item.model)
            self._settle(item, WeightsBehind(f"its weights are of version {present}, not {item.least_weights}"))

    def _swap(self) -> None:
        """The swaps that nothing asked before them waits for any more."""
        for fence, swap in [(fence, swap) for fence, swap in self._due() if self._movable(swap.model)]:
            self._swaps.remove((fence, swap))
            failure = None if self._residency.peek(swap.model) else self._load(swap.model)
            self._reply(swap.number, failure or self._swapped(swap))
            self._release(swap.model)

    def _due(self) -> list[tuple[int, Swap]]:
        return [(fence, swap) for fence, swap in self._swaps if self._schedule.has_reached(swap.model, fence)]

    def _movable(self, model: str) -> bool:
        """Whether a model's weights may be touched: not while it writes, and none is loaded while another does."""
        return self._draft is None or (
            model != self._draft.loaded.entry.name and self._residency.peek(model) is not None
        )

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
        """One batch, or one load; a token, while texts are written, and a batch beside it."""
        if self._draft is not None:
            self._write(self._draft)
            if self._draft is not None and self._lead_s > 0:
                self._between()
            return
        resident = self._residency.resident
        name = self._schedule.choose(time.monotonic(), resident, patience_s=self._residency.patience_s)
        if name is None:
            return
        if name not in resident:
            self._load(name)
            return
        self._take(name)

    def _between(self) -> None:
        """A batch that is only read, of a model in memory, and of no weights that wait for what is written."""
        waiting = {swap.model for _, swap in self._due()}
        first = self._schedule.find_next_read([name for name in self._residency.resident if name not in waiting])
        if first is not None:
            before = self._busy_s
            self._take(first.model, between=first)
            self._lead_s -= self._busy_s - before

    def _take(self, name: str, between: Item | None = None) -> None:
        loaded = self._residency.get(name)
        limit = self._limits.get(name, self._schedule.batch_tokens)
        taken = self._schedule.take(name, packed=loaded.packed, limit=limit, between=between)
        items, room = self._encoded(taken, loaded, limit)
        if not items:
            return
        self._counted["batches"] += 1
        if items[0].writes:
            self._open(items, loaded)
        else:
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
            self._running = Running()
            self._told += [self._running, self.beat()]
        for item in waiting:
            self._encoder.encode_ahead(item)
        return None

    def _encoded(self, items: Sequence[Item], loaded: Loaded, limit: int) -> tuple[list[Item], Room]:
        """Those that can run together, now that their lengths are known; the others are put back."""
        room, fitting = Room(limit, loaded.packed and not items[0].writes), []
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
        batch = Batch(loaded, lambda: self._residency.evict_others(loaded.entry.name))
        with self._at(items):
            results = batch.results(items)
        self._count(room.total, room.cost)
        self._learn(loaded.entry.name, room.cost, splits=batch.splits)
        self._answer(results)

    def _open(self, items: Sequence[Item], loaded: Loaded) -> None:
        self._draft = Draft(loaded, items, lambda: self._residency.evict_others(loaded.entry.name))
        self._lead_s = 0.0
        read = [item.work.tokens for item in items if item.work is not None]
        self._count(sum(read), max(read) * len(read))

    def _write(self, draft: Draft) -> None:
        """A token more of what is written."""
        before = self._busy_s
        with self._at(draft.items):
            results = draft.step(lambda item: item.number in self._items)
        self._lead_s = min(self._lead_s, 0.0) + self._busy_s - before
        self._count(len(draft) + len(results), len(draft) + len(results))
        self._answer(results)
        if not len(draft):
            self._draft = None
            self._learn(draft.loaded.entry.name, draft.cost, splits=int(draft.ran_out))
            self._schedule.put_back(draft.again)

    @contextmanager
    def _at(self, items: Sequence[Item]) -> Iterator[None]:
        """While the device computes these: who hosts the engine knows, and for how long."""
        self._begin(Running(tuple(item.number for item in items)))
        self._began = began = time.monotonic()
        try:
            yield
        finally:
            self._began = None
            self._busy_s += time.monotonic() - began

    def _count(self, tokens: int, computed: int) -> None:
        self._counted["batch_tokens"] += tokens
        self._counted["computed_tokens"] += computed

    def _learn(self, name: str, cost: int, *, splits: int) -> None:
        """After memory ran out batches are half as large, and then grow again: each time costs a forward pass."""
        self._counted["memory_splits"] += splits
        if splits:
            self._limits[name] = max(1, cost // 2)
        elif name in self._limits:
            self._limits[name] = min(self._schedule.batch_tokens, self._limits[name] + 1 + self._limits[name] // 32)

    def _begin(self, running: Running) -> None:
        if running != self._running:
            self._running = running
            self._told.append(running)
        self._flush()

    def _answer(self, results: Results) -> None:
        for item, result in results:
            self._settle(item, result)

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
