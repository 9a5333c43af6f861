"""Who asks for scores, for which project, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.admission.gate import QuotaBill


class RequestTurn(Protocol):
    """The event loop's time for a request: see :mod:`app.admission.loop_queue`."""

    def pause(self) -> None:
        """Gives the loop to others while the request waits for work elsewhere."""

    def resume(self) -> None:
        """Takes the turn up again: there is work for the request."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, for which project (None: the default one), and how.

    ``held`` callers wait for room where others are told to retry; ``durable`` callers get
    :class:`LedgerUnavailable` and try again themselves; ``records`` are the ledger's ids to use, one a
    sample, where they were fixed beforehand, and ``record_seed`` is what they follow from where an idempotency key
    fixed them; ``apart`` prices each sample by itself, whatever group it belongs to.
    ``protocol`` is what was spoken, for the metrics; ``bill`` is one for all calls that a request makes. ``arrived``:
    the loop's time of the request's first byte, from which its time counts; by default now. ``turn`` is its turn in
    the event loop.
    """

    owner: str | None = None
    project: str | None = None
    held: bool = False
    durable: bool = False
    records: Sequence[str] | None = None
    record_seed: str | None = None
    apart: bool = False
    protocol: str = "native"
    bill: QuotaBill | None = None
    arrived: float | None = None
    turn: RequestTurn | None = None
