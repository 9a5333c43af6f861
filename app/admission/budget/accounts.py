"""The accounts of this process: found by recipe and run, written in time, and told of where they run low.

An account lives as long as a request holds it, or it has something to write or give back. At a stop everything is given
back; a kill costs what :mod:`app.admission.budget.account` says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Protocol, Self
from weakref import WeakValueDictionary

import structlog
from pydantic import JsonValue

from app.admission.budget.account import Account, AccountKey, AccountStore
from app.admission.budget.amount import NOTHING, Amount
from app.admission.budget.bound import Bounds
from app.admission.budget.charge import Purse
from rewards.budget import Budget
from rewards.recipe import Recipe
from trueward.wire.run import Allowance, Spending

log = structlog.get_logger(__name__)

_TIDY_S = 2.0
_SHOWN = 1000


class Marks(Protocol):
    """Where it is noted what happened to a run."""

    async def mark(self, name: str, kind: str, detail: dict[str, JsonValue]) -> None: ...


class Accounts:
    """An async context manager; leaving it writes what is owed and gives back the rest."""

    def __init__(self, store: AccountStore, marks: Marks, tidy_s: float = _TIDY_S) -> None:
        self._store = store
        self._marks = marks
        self._tidy_s = tidy_s
        self._bounds = Bounds()
        self._accounts: WeakValueDictionary[AccountKey, Account] = WeakValueDictionary()
        self._in_use: dict[Account, None] = {}
        self._shares: dict[AccountKey, tuple[str, float]] = {}
        self._chores: set[asyncio.Task[None]] = set()
        self._closing = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._tidying = asyncio.create_task(self._tidy_up(), name="budgets")
        return self

    async def __aexit__(self, *failure: object) -> None:
        self._closing.set()
        await self._tidying
        await asyncio.gather(*self._chores)

    def purse(self, recipe: Recipe, run: str | None, owner: str | None) -> Purse | None:
        """What a request pays its questions from; None where nothing is bounded, and nobody could be shown the sum."""
        if run is None and recipe.budget is None:
            return None
        key = AccountKey(recipe.hash, run or "", "" if run is not None else owner or "")
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = Account(key, recipe.name, recipe.budget, self._store, self)
        return Purse(account, self._bounds)

    async def of_run(self, run: str, recipe: str) -> tuple[Spending, Allowance | None] | None:
        """What a recipe (by hash) has cost a run, and its budget; None where it has none and no model was asked."""
        key = AccountKey(recipe, run, "")
        account = self._accounts.get(key)
        if account is not None:
            await account.look()
            return _view_budget(account.spent, account.budget)
        stored = await self._store.read(key)
        if stored is not None:
            return _view_budget(stored.amount, stored.budget)
        unspent = await self._store.of_recipe(recipe)
        return _view_budget(NOTHING, unspent) if unspent is not None else None

    def shares(self) -> Mapping[str, float]:
        """Spent of the budget by recipe, of the account that has spent most of its own."""
        known = dict(self._shares)
        known.update((account.key, (account.name, account.share)) for account in self._in_use if account.budget)
        found: dict[str, float] = {}
        for name, share in known.values():
            found[name] = max(share, found.get(name, 0.0))
        return found

    def mark_used(self, account: Account) -> None:
        self._in_use[account] = None

    def warn_low(self, account: Account, share: float) -> None:
        percent, spent = round(100 * share), account.spent.spent.model_dump(mode="json")
        said: dict[str, JsonValue] = {"recipe": account.key.recipe, "percent": percent, "spent": spent}
        log.warning("budget_spent" if percent >= 100 else "budget_low", run=account.key.run or None, **said)
        if account.key.run:
            self._spawn(self._marked(account.key.run, said))

    def record_overdraft(self, account: Account, model: str, excess: Amount) -> None:
        if account.budget is None:
            return
        more = {"tokens": max(excess.tokens, 0), "cost": max(excess.spent.cost, 0.0)}
        log.error("budget_overdrawn", run=account.key.run or None, recipe=account.key.recipe, model=model, **more)
        self._spawn(self._tidied(account))

    async def _tidy_up(self) -> None:
        closing = False
        while not closing:
            try:
                async with asyncio.timeout(self._tidy_s):
                    closing = await self._closing.wait()
            except TimeoutError:
                pass
            for account in list(self._in_use):
                await self._tidied(account, closing=closing)

    async def _tidied(self, account: Account, *, closing: bool = False) -> None:
        try:
            if await account.tidy(idle=closing):
                self._in_use.pop(account, None)
                if account.budget is not None:
                    self._note(account)
        except Exception as failure:  # noqa: BLE001 - the others must be written too; what was not drawn pays nothing
            log.error("an account was not written", run=account.key.run, error=failure)

    def _note(self, account: Account) -> None:
        """Of accounts that nobody uses now the last ones are still shown."""
        self._shares.pop(account.key, None)
        self._shares[account.key] = (account.name, account.share)
        if len(self._shares) > _SHOWN:
            del self._shares[next(iter(self._shares))]

    async def _marked(self, run: str, said: dict[str, JsonValue]) -> None:
        try:
            await self._marks.mark(run, "budget", said)
        except Exception as failure:  # noqa: BLE001 - it is in the log, and no question may fail of it
            log.error("a run was not marked", run=run, error=failure)

    def _spawn(self, chore: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


def _view_budget(spent: Amount, budget: Budget | None) -> tuple[Spending, Allowance | None]:
    return spent.spent, Allowance.model_validate(budget.model_dump()) if budget is not None else None
