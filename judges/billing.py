"""Who pays for a question is told of each request that leaves for another server: what was sent may be charged for
though its answer never comes.

A client of another server calls :func:`sending` before each request that may be charged for; then
:func:`record_arrival` where its answer came, or :func:`record_refusal` where the server did not take it. Where it says
neither nobody knows what became of the request. A question may take several.
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

    def record_arrival(self) -> None: ...

    def record_refusal(self) -> None: ...


_bill: ContextVar[Bill | None] = ContextVar("bill", default=None)


@contextmanager
def bill_to(bill: Bill) -> Iterator[None]:
    """In this block, and in the tasks that it starts."""
    before = _bill.set(bill)
    try:
        yield
    finally:
        _bill.reset(before)


async def sending() -> None:
    if (bill := _bill.get()) is not None:
        await bill.sending()


def record_arrival() -> None:
    if (bill := _bill.get()) is not None:
        bill.record_arrival()


def record_refusal() -> None:
    if (bill := _bill.get()) is not None:
        bill.record_refusal()
