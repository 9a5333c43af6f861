"""An account: what one run, or one key, may spend under a recipe, and has spent.

Before a question is asked the most that it can cost is reserved; once it is answered the rest is given back. So what is
spent never exceeds the budget, however many ask at once. What does not fit is refused, but where reservations fill the
budget whose rest may make room: then the question waits for these, first come first served.

The database is written ahead of spending, a block at a time: what it has for an account was drawn by some server, which
may not have spent it yet. After a kill the account has lost what that server had drawn and not spent; it never forgets
what was. Several servers draw by compare-and-swap, each its own blocks, and give back what they do not need; one that
finds nothing left refuses, though another may still have some. What no limit bounds is counted alike, but written a
moment later.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from app.admission.budget.amount import NOTHING, Amount, Limits, limits_of
from app.kit.db import is_outage
from judges.base import BudgetSpent
from rewards.budget import Budget

BLOCKS = 50
"""A block is this part of the budget: so much is lost by a kill, and so often is the database written."""

WARNED = 0.8
_DRY_S = 1.0
_RETRY_S = 0.2


@dataclass(frozen=True, slots=True)
class AccountKey:
    """``run`` or ``owner`` is empty where there is none; who uses a run shares its account."""

    recipe: str
    run: str
    owner: str


@dataclass(frozen=True, slots=True)
class StoredAccount:
    """What the database has for an account; ``revision`` counts its writes."""

    amount: Amount
    revision: int
    budget: Budget | None = None


class AccountStore(Protocol):
    async def read(self, key: AccountKey) -> StoredAccount | None: ...

    async def of_recipe(self, recipe: str) -> Budget | None:
        """What a recipe (by hash) allows each of its accounts."""
        ...

    async def swap(self, key: AccountKey, budget: Budget | None, before: StoredAccount | None, after: Amount) -> bool:
        """False if another writer was faster."""
        ...


class Keeper(Protocol):
    """Whoever looks after the accounts of this process."""

    def mark_used(self, account: Account) -> None:
        """The account has something that must be written, or given back, in time."""
        ...

    def warn_low(self, account: Account, share: float) -> None:
        """Warns that this share of the budget is spent or drawn."""
        ...

    def record_overdraft(self, account: Account, model: str, excess: Amount) -> None:
        """An answer cost more than could be foreseen."""
        ...


class Account:
    """``name`` is the recipe's, for people.

    ``_free`` was drawn and is neither spent nor reserved; where there is no limit it may lie below zero, and that much
    is still to be written.
    """

    def __init__(self, key: AccountKey, name: str, budget: Budget | None, store: AccountStore, keeper: Keeper) -> None:
        self.key = key
        self.name = name
        self.budget = budget
        self.limits: Limits = limits_of(budget)
        self._store = store
        self._keeper = keeper
        self._free = self._reserved = self._drawn = NOTHING
        self._turn = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._released = asyncio.Event()
        self._draws: set[asyncio.Task[None]] = set()
        self._dry_until = -math.inf
        self._idle = False
        self._told = False

    @property
    def spent(self) -> Amount:
        """By this process, and at most by others: what they have drawn counts."""
        return self._drawn - self._free - self._reserved

    @property
    def share(self) -> float:
        """Spent of what the budget allows, by the limit that is nearest."""
        return self._share(self.spent)

    async def reserve(self, most: Amount, deadline: float) -> None:
        """Raises :class:`judges.base.BudgetSpent`, or TimeoutError at ``deadline`` (the loop's time)."""
        if not self._turn.locked() and self._take(most):
            return
        async with asyncio.timeout_at(deadline), self._turn:
            while not self._take(most):
                self._released.clear()
                try:
                    await self._draw(most)
                except Exception as failure:  # an outage is waited for, the rest raised again
                    if not is_outage(failure):
                        raise
                    await asyncio.sleep(_RETRY_S)
                    continue
                if self._take(most):
                    return
                if not self._fits(self._free + self._reserved, most):
                    raise self._refusal()
                await self._released.wait()

    async def reserve_again(self, most: Amount) -> None:
        """At once, for whoever holds what others wait for. Raises :class:`judges.base.BudgetSpent`."""
        if not self._take(most):
            await self._draw(most)
            if not self._take(most):
                raise self._refusal()

    def settle(self, reserved: Amount, spent: Amount) -> None:
        """What was reserved has been spent, as far as ``spent`` says."""
        self._reserved -= reserved
        self._free += reserved - spent
        self._idle = False
        self._keeper.mark_used(self)
        self._released.set()

    def record_overdraft(self, model: str, excess: Amount) -> None:
        """What was settled last was more than had been reserved."""
        self._keeper.record_overdraft(self, model, excess)

    async def look(self) -> None:
        """Learns what the database has."""
        async with self._writing:
            found = await self._store.read(self.key)
            self._drawn = found.amount if found is not None else NOTHING

    async def tidy(self, *, idle: bool = False) -> bool:
        """Writes what is owed, and gives back what nobody has used since the last time; True where nothing is left."""
        unused, self._idle = idle or self._idle, True
        async with self._writing:
            await self._write(lambda drawn: self._owed(unused))
        return unused and not any(self._reserved) and not any(self._free)

    def _take(self, most: Amount) -> bool:
        if not self._fits(self._free, most):
            return False
        self._free -= most
        self._reserved += most
        self._idle = False
        self._keeper.mark_used(self)
        return True

    def _fits(self, room: Amount, most: Amount) -> bool:
        return all(limit is None or part <= there for there, part, limit in zip(room, most, self.limits, strict=True))

    async def _draw(self, most: Amount) -> None:
        """Room for ``most``, if there is any; goes on where its caller is cancelled, so that nothing drawn is lost."""
        task = asyncio.ensure_future(self._drawn_for(most))
        self._draws.add(task)
        task.add_done_callback(self._drew)
        await asyncio.shield(task)

    def _drew(self, task: asyncio.Task[None]) -> None:
        """Raises the failure of a draw in its caller, if the caller still waits."""
        self._draws.discard(task)
        if not task.cancelled():
            task.exception()

    async def _drawn_for(self, most: Amount) -> None:
        now = asyncio.get_running_loop().time
        async with self._writing:
            if self._fits(self._free, most) or now() < self._dry_until:
                return
            await self._write(lambda drawn: self._amount_to_draw(drawn, most))
            if not self._fits(self._free, most):
                self._dry_until = now() + _DRY_S

    async def _write(self, change_of: Callable[[Amount], Amount]) -> None:
        """Adds to what the database has drawn. What is given back is gone from here before that is written, and what
        is drawn is here only once it is: a write of which nobody knows whether it was made costs, and pays nothing."""
        while True:
            before = await self._store.read(self.key)
            self._drawn = before.amount if before is not None else NOTHING
            change = change_of(self._drawn)
            if not any(change):
                return
            given = Amount(*(min(part, 0) for part in change))
            self._free += given
            after = self._drawn + change
            if await self._store.swap(self.key, self.budget, before, after):
                break
            self._free -= given
        self._free += change - given
        earlier, self._drawn = self._drawn, after
        if self._share(earlier) < WARNED <= self._share(after):
            self._keeper.warn_low(self, WARNED)

    def _amount_to_draw(self, drawn: Amount, most: Amount) -> Amount:
        parts = zip(drawn, self._free, most, self.limits, strict=True)
        return Amount(*(_draw_of(*part) for part in parts))

    def _owed(self, unused: bool) -> Amount:
        """What no limit bounds is written as it is; of the rest the blocks that nobody uses, and what is overdrawn."""
        parts = zip(self._free, self.limits, strict=True)
        return Amount(*(-free if limit is None or unused or free < 0 else 0 for free, limit in parts))

    def _share(self, amount: Amount) -> float:
        return max((part / most for part, most in zip(amount, self.limits, strict=True) if most), default=0.0)

    def _refusal(self) -> BudgetSpent:
        if not self._told:
            self._told = True
            self._keeper.warn_low(self, 1.0)
        whose = f"run {self.key.run!r}" if self.key.run else "requests of this key without a run"
        spent = self.spent.spent
        return BudgetSpent(
            f"the recipe's budget for {whose} has no room for another question: {spent.cost:g} cost, {spent.tokens} "
            f"tokens and {spent.calls} calls are spent"
        )


def _draw_of(drawn: int, free: int, most: int, limit: int | None) -> int:
    """What to draw of one part: what lacks, or a block where that is more, as far as the limit goes; a debt whole."""
    if limit is None:
        return -free
    lacking = most - free
    if lacking <= 0:
        return 0
    return max(min(max(lacking, limit // BLOCKS, 1), max(limit - drawn, 0)), -free)
