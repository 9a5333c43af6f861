"""The ledger: whatever was answered is recorded, once, and the answer waits for the commit.

One writer takes all that is queued and commits it in one transaction (group commit); the queue is bounded
in rows, and whoever finds it full waits. With the database down the writer tries the same batch again
until it is up; a caller stops waiting at its deadline (:class:`LedgerUnavailable`). A row that the database
refuses costs its own entry and no other. The first row of an id stays: writing again is harmless.

A caller that gave up may find its entries in the ledger after all, where the commit was on its way: it
must not give out their records.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Self

import structlog

from app import tables
from app.admission.room import Room
from app.kit.cache import Cache
from app.kit.clock import now
from app.kit.db import Database, is_damaged, is_outage
from app.kit.durations import Durations
from app.kit.pace import LoopPace
from app.path.rows import (
    Entry,
    Insert,
    Named,
    RequestContext,
    conditions_body,
    conditions_hash,
    count_rows,
    make_shared_row,
    params_row,
    recipe_row,
    reward_row,
    sample_row,
    verdict_row,
)
from app.telemetry import tracing
from rewards.recipe import Recipe
from trueward.authoring.verifier import Verifier
from trueward.errors import Overloaded

__all__ = ["EntriesRefused", "Entry", "Ledger", "LedgerUnavailable"]
_BATCH_ROWS = 2_000
_BACKOFF_S = (0.05, 0.1, 0.2, 0.5, 1.0)
_NAMES_KEPT = 10_000
_LEAST_STUCK_S, _STUCK = 0.25, 10.0
"""Seconds, and so many times a usual commit's: what takes longer waits for the database."""

_TABLES: tuple[type[tables.Table], ...] = (
    tables.Params,
    tables.Recipe,
    tables.Conditions,
    tables.Sample,
    tables.Verdict,
    tables.Reward,
)
log = structlog.get_logger(__name__)


class LedgerUnavailable(Exception):
    """Some entries are not known to be recorded: ``lost`` has their positions in the call.

    ``waited``: nothing is wrong with the database, the deadline passed before their turn came.
    """

    def __init__(self, detail: str, lost: Iterable[int], *, waited: bool = False) -> None:
        super().__init__(detail)
        self.lost = frozenset(lost)
        self.waited = waited


class EntriesRefused(LedgerUnavailable):
    """The database is up and does not take these entries: trying again does not help."""


@dataclass(slots=True, eq=False)
class _Write:
    """One call of :meth:`Ledger.write`; ``refused`` are the positions that the database did not take, because it
    is ``damaged`` or for what is in them."""

    entries: Sequence[Entry]
    context: RequestContext
    recipe: Recipe | None
    recipe_hash: str
    conditions: str
    conditions_hash: str
    done: asyncio.Future[None]
    rows: int
    span: tracing.Span | None
    refused: set[int] = field(default_factory=set)
    damaged: bool = False


_Place = tuple[_Write, int]


class Ledger:
    """An async context manager; leaving it waits until all that was accepted is written.

    ``capacity`` bounds the rows that wait; a call larger than that is let in alone. ``failing`` is true
    while the database cannot be written. Counted since the start: rows ``written``, entries ``refused``, ``commits`` by
    how they ended.
    """

    def __init__(self, db: Database, capacity: int, pace: LoopPace | None = None) -> None:
        self.failing = False
        self._pace = pace or LoopPace()
        self._db = db
        self.capacity = capacity
        self.written = 0
        self.refused = 0
        self.commits = {"committed": Durations(), "failed": Durations()}
        self._room = Room(capacity)
        self._queue: deque[_Write] = deque()
        self._arrived = asyncio.Event()
        self._closing = False
        self._committing_since: float | None = None
        self._inserts = {table: Insert(table, db.sql) for table in _TABLES}
        self._params: Cache[tuple[str, str], bool] = Cache(_NAMES_KEPT)
        self._recipes: Cache[str, bool] = Cache(_NAMES_KEPT)

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._run(), name="ledger")
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._closing = True
        self._arrived.set()
        await self._writer

    async def write(
        self, entries: Sequence[Entry], context: RequestContext, deadline: float, recipe: Recipe | None = None
    ) -> None:
        """Returns once the entries are committed; ``deadline`` in the loop's time.

        Raises :class:`LedgerUnavailable`, :class:`EntriesRefused` where some were refused and the others
        are recorded.
        """
        if not entries:
            return
        done = asyncio.get_running_loop().create_future()
        digest, rows = recipe.hash if recipe else "", count_rows(entries)
        conditions = conditions_body(context.conditions)
        named = (digest, conditions, conditions_hash(conditions))
        write = _Write(entries, context, recipe, *named, done, rows, tracing.current())
        try:
            async with self._room.take(rows, hold_until=deadline):
                await self._commit_of(write, deadline)
        except (TimeoutError, Overloaded):
            every, healthy = range(len(entries)), not self.failing and not self._stuck
            raise LedgerUnavailable("the deadline passed before the commit", every, waited=healthy) from None
        if write.damaged:
            raise LedgerUnavailable("the database is damaged", write.refused)
        if write.refused:
            raise EntriesRefused("the database refused these entries", write.refused)

    @property
    def _stuck(self) -> bool:
        """Whether the database has kept a commit waiting for much longer than they take."""
        if self._committing_since is None:
            return False
        usual_s = self.commits["committed"].mean_s
        return perf_counter() - self._committing_since > max(_LEAST_STUCK_S, _STUCK * usual_s)

    @property
    def waiting(self) -> int:
        """Rows that are not committed yet."""
        return self._room.taken

    async def _commit_of(self, write: _Write, deadline: float) -> None:
        if self._closing:
            raise LedgerUnavailable("the service is shutting down", range(len(write.entries)))
        self._queue.append(write)
        self._arrived.set()
        try:
            async with asyncio.timeout_at(deadline):
                await write.done
        finally:
            if write.done.cancelled() and write in self._queue:
                self._queue.remove(write)

    async def _run(self) -> None:
        while not self._closing or self._queue:
            if not self._queue:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            batch = self._take()
            try:
                await self._commit([(write, place) for write in batch for place in range(len(write.entries))])
            except BaseException:  # raised again; those who wait are let go
                for write in batch:
                    write.done.cancel()
                raise
            for write in batch:
                if not write.done.done():
                    write.done.set_result(None)

    def _take(self) -> list[_Write]:
        """Whole writes up to a batch's rows, at least one."""
        batch: list[_Write] = []
        rows = 0
        while self._queue and (not batch or rows + self._queue[0].rows <= _BATCH_ROWS):
            write = self._queue.popleft()
            rows += write.rows
            batch.append(write)
        return batch

    async def _commit(self, places: Sequence[_Place]) -> None:
        """Commits the entries at these places, for as long as it takes and somebody waits for them.

        Entries that the database refuses are found by halving.
        """
        tries = 0
        while places := [place for place in places if not place[0].done.done()]:
            try:
                await self._timed(places)
            except Exception as failure:  # noqa: BLE001 - whatever a row provokes, the writer must go on
                if is_damaged(failure) or not is_outage(failure):
                    await self._divide(places, failure)
                    return
                self._tell_outage(failure)
                await asyncio.sleep(_BACKOFF_S[min(tries, len(_BACKOFF_S) - 1)])
                tries += 1
            else:
                self.failing = False
                return

    async def _divide(self, places: Sequence[_Place], failure: Exception) -> None:
        if len(places) > 1:
            middle = len(places) // 2
            await self._commit(places[:middle])
            await self._commit(places[middle:])
            return
        ((write, place),) = places
        write.refused.add(place)
        self.refused += 1
        if is_damaged(failure):  # which is in the log already
            write.damaged = True
            return
        log.error("the database refused an entry", sample=write.entries[place].fingerprint, error=failure)

    def _tell_outage(self, failure: Exception) -> None:
        if not self.failing:
            log.error("the ledger cannot be written; trying again", error=failure)
        self.failing = True

    async def _timed(self, places: Sequence[_Place]) -> None:
        began, how = perf_counter(), "failed"
        self._committing_since = began
        spans = list({id(write): write.span for write, _ in places if write.span is not None}.values())
        try:
            with tracing.share_span("ledger commit", spans, {"trueward.entries": len(places)}):
                self.written += await self._insert(places)
            how = "committed"
        finally:
            self._committing_since = None
            self.commits[how].add(perf_counter() - began)

    async def _insert(self, places: Sequence[_Place]) -> int:
        """One transaction; how many rows it had."""
        at = now() if self._db.dialect == "postgresql" else now().strftime("%Y-%m-%d %H:%M:%S.%f")
        params, recipes = self._unnamed({write for write, _ in places})
        rows: dict[type[tables.Table], list[Named]] = {table: [] for table in _TABLES}
        samples: dict[str, Named] = {}
        for write, place in places:
            await self._pace.turn(ahead=True)
            entry = write.entries[place]
            samples[entry.fingerprint] = sample_row(entry, at)
            shared = make_shared_row(entry, write.context, at)
            rows[tables.Verdict] += [verdict_row(shared, verdict) for verdict in entry.verdicts]
            if entry.reward is not None and write.recipe is not None:
                named = (write.recipe_hash, write.recipe.name, write.conditions_hash)
                rows[tables.Reward].append(reward_row(shared, entry, entry.reward, write.context, named))
        # other servers may write these too: sorted, nobody waits for another in a circle
        rows[tables.Params] = [params_row(params[name]) for name in sorted(params)]
        rows[tables.Recipe] = [recipe_row(name, recipes[name], at) for name in sorted(recipes)]
        known = {write.conditions_hash: write.conditions for write, _ in places}
        rows[tables.Conditions] = [{"hash": digest, "body": known[digest]} for digest in sorted(known) if digest]
        rows[tables.Sample] = [samples[name] for name in sorted(samples)]
        await self._db.insert([self._inserts[table].fill(rows[table]) for table in _TABLES if rows[table]])
        for key in params:
            self._params.put(key, True)
        for digest in recipes:
            self._recipes.put(digest, True)
        return sum(map(len, rows.values()))

    def _unnamed(self, writes: set[_Write]) -> tuple[dict[tuple[str, str], Verifier], dict[str, Recipe]]:
        """The verifiers and recipes whose bodies are not known to be stored."""
        params: dict[tuple[str, str], Verifier] = {}
        recipes: dict[str, Recipe] = {}
        for write in writes:
            for verifier in write.context.verifiers:
                key = (verifier.producer.name, verifier.producer.params)
                if self._params.get(key) is None:
                    params[key] = verifier
            if write.recipe is not None and self._recipes.get(write.recipe_hash) is None:
                recipes[write.recipe_hash] = write.recipe
        return params, recipes
