"""Accounts in memory, as a database would have them, and whoever looks after those of one process."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from app.admission.budget.account import Account, AccountKey, StoredAccount
from app.admission.budget.amount import Amount
from rewards.budget import Budget

KEY = AccountKey("sha256:r", "run", "")


@dataclass
class Memory:
    """``failing`` is raised instead; the answer to the next write is lost where it ``loses``."""

    rows: dict[AccountKey, StoredAccount] = field(default_factory=dict)
    failing: Exception | None = None
    loses: bool = False
    reads: int = 0
    swaps: int = 0

    async def read(self, key: AccountKey) -> StoredAccount | None:
        await asyncio.sleep(0)
        self.reads += 1
        if self.failing is not None:
            raise self.failing
        return self.rows.get(key)

    async def of_recipe(self, recipe: str) -> Budget | None:
        return None

    async def swap(self, key: AccountKey, budget: Budget | None, before: StoredAccount | None, after: Amount) -> bool:
        await asyncio.sleep(0)
        if self.failing is not None:
            raise self.failing
        if self.rows.get(key) != before:
            return False
        self.swaps += 1
        self.rows[key] = StoredAccount(after, before.revision + 1 if before is not None else 1, budget)
        await asyncio.sleep(0)
        if self.loses:
            self.loses = False
            raise OSError("lost")
        return True

    @property
    def drawn(self) -> Amount:
        return self.rows[KEY].amount if KEY in self.rows else Amount()


@dataclass
class Noted:
    """What accounts told."""

    shares: list[float] = field(default_factory=list)
    excesses: list[tuple[str, Amount]] = field(default_factory=list)

    def mark_used(self, account: Account) -> None:
        return None

    def warn_low(self, account: Account, share: float) -> None:
        self.shares.append(share)

    def record_overdraft(self, account: Account, model: str, excess: Amount) -> None:
        self.excesses.append((model, excess))


def opened(store: Memory, budget: Budget | None, noted: Noted | None = None) -> Account:
    return Account(KEY, "recipe", budget, store, noted or Noted())


def calls(count: int) -> Amount:
    return Amount(calls=count)
