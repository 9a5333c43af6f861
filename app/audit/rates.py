"""The error rates that audits found, at hand for recipes that correct with them.

Scoring asks without waiting, so they are kept in memory. An audit's report is final, so what is known of it stays
right; one that another server of the same database completed is known within two seconds.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from types import TracebackType
from typing import Self

import structlog
from pydantic import ValidationError

from app.audit.repository import AuditsRepository
from rewards.noise.rates import Rates

_REFRESH_S = 2.0
log = structlog.get_logger(__name__)


class AuditedRates:
    """An async context manager; inside it the rates keep themselves fresh."""

    def __init__(self, repository: AuditsRepository) -> None:
        self._repository = repository
        self._known: dict[str, tuple[str, Rates]] = {}
        self._passed: set[str] = set()

    async def __aenter__(self) -> Self:
        await self.refresh()
        self._task = asyncio.create_task(self._stay_fresh(), name="audited rates")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task

    def find(self, audit: str) -> tuple[str, Rates] | None:
        """The verifier's name with its rates; None where no completed audit of that id measured any."""
        return self._known.get(audit)

    async def refresh(self) -> None:
        """Takes in what was completed since."""
        for audit in await self._repository.completed() - self._passed:
            found = await self._repository.rates(audit)
            self._passed.add(audit)
            if found is not None:
                verifier, body = found
                try:
                    self._known[audit] = (verifier, Rates.model_validate(body))
                except ValidationError as refusal:
                    log.error("rates of an audit cannot be read", audit=audit, error=str(refusal)[:300])

    async def _stay_fresh(self) -> None:
        while True:
            await asyncio.sleep(_REFRESH_S)
            try:
                await self.refresh()
            except Exception as failure:  # noqa: BLE001 - what is known stays known while the database is down
                log.warning("audited rates were not refreshed", error=repr(failure)[:300])
