"""Who pays for a question is told of each request that leaves for another server: what was sent may be charged for
though its answer never comes.

A client of another server calls :func:`sending` before each request that may be charged for; then :func:`arrived` where
its answer came, or :func:`refused` where the server did not take it. Where it says neither nobody knows what became of
the request. A question may take several.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Bill(Protocol):
    async def sending(self) -> None:
        """Raises :class:`judges.base.BudgetSpent` where there is no room for it: then nothing may be sent."""
        ...

    def arrived(self) -> None: ...

    def refused(self) -> None: ...


_bill: ContextVar[Bill | None] = ContextVar("bill", default=None)


@contextmanager
def billed_to(bill: Bill) -> Iterator[None]:
    """In this block, and in the tasks that it starts."""
    before = _bill.set(bill)
    try:
        yield
    finally:
        _bill.reset(before)


async def sending() -> None:
    if (bill := _bill.get()) is not None:
        await bill.sending()


def arrived() -> None:
    if (bill := _bill.get()) is not None:
        bill.arrived()


def refused() -> None:
    if (bill := _bill.get()) is not None:
        bill.refused()
