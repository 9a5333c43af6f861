"""The gate that everything asked of the service passes: the quota of its key, then room.

The quota comes first, for whoever waits for his quota must not take up room meanwhile; what finds no room afterwards
has its quota back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from app.admission.room import Room
from trueward.errors import Overloaded, QuotaExceeded


class QuotaCharge(Protocol):
    """What was taken from a key's quotas."""

    async def give_back(self) -> None: ...


class Quotas(Protocol):
    """What each key may use a minute."""

    async def charge(self, owner: str, samples: int, cost_s: float, hold_until: float | None) -> QuotaCharge | None:
        """None where nothing is counted. Raises :class:`QuotaExceeded`, at once or, for held callers, at
        ``hold_until`` (loop time)."""
        ...

    async def owe(self, owner: str, samples: int, cost_s: float) -> QuotaCharge | None:
        """The same for a request that was let in before. It is never refused; its key earns it back first."""
        ...


class NoQuotas:
    """Quotas of a service without keys: nothing is limited."""

    async def charge(self, owner: str, samples: int, cost_s: float, hold_until: float | None) -> None:
        return None

    async def owe(self, owner: str, samples: int, cost_s: float) -> None:
        return None


@dataclass(slots=True)
class QuotaBill:
    """What a request that passes the gate in several rounds was charged so far.

    The first round is let in, or refused, as any request. Then the request is in: its other rounds are owed, and no
    quota refuses them, or it would be charged for what it never gets.
    """

    charges: list[QuotaCharge | None] = field(default_factory=list)

    async def give_back(self) -> None:
        for charge in self.charges:
            if charge is not None:
                await charge.give_back()
        self.charges.clear()


class AdmissionGate:
    """``refused`` counts the samples that were not let in, by the error's code."""

    def __init__(self, room: Room, quotas: Quotas) -> None:
        self._room = room
        self._quotas = quotas
        self.refused: Counter[str] = Counter({Overloaded.code: 0, QuotaExceeded.code: 0})

    @asynccontextmanager
    async def enter(
        self,
        owner: str | None,
        project: str | None,
        samples: int,
        cost_s: float = 0.0,
        *,
        hold_until: float | None = None,
        bill: QuotaBill | None = None,
    ) -> AsyncIterator[None]:
        """``cost_s``: seconds of work that are expected; ``bill`` is of a request that comes in several rounds.
        Raises :class:`QuotaExceeded` or :class:`Overloaded`."""
        bill = QuotaBill() if bill is None else bill
        async with AsyncExitStack() as stack:
            try:
                await self._let_in(stack, owner, project, samples, cost_s, hold_until, bill)
            except Overloaded as refusal:
                self.refused[refusal.code] += samples
                raise
            yield

    async def _let_in(
        self,
        stack: AsyncExitStack,
        owner: str | None,
        project: str | None,
        samples: int,
        cost_s: float,
        hold_until: float | None,
        bill: QuotaBill,
    ) -> None:
        charge: QuotaCharge | None = None
        if owner is None:
            pass  # who has no key has no quota
        elif bill.charges:
            charge = await self._quotas.owe(owner, samples, cost_s)
        else:
            charge = await self._quotas.charge(owner, samples, cost_s, hold_until)
        try:
            await stack.enter_async_context(self._room.take(samples, hold_until=hold_until, project=project))
        except BaseException:  # raised again: what is not let in is not charged
            if charge is not None:
                await charge.give_back()
            raise
        bill.charges.append(charge)
