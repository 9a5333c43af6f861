"""The error rates that audits found, at hand for recipes that correct with them.

Scoring asks without waiting, so they are kept in memory. An audit's report is final, so what is known of it stays
right; one that another server of the same database completed is known within two seconds.
"""

from __future__ import annotations

import structlog
from pydantic import ValidationError

from app.audit.repository import AuditsRepository
from app.kit.background import Refreshed
from rewards.noise.rates import Rates

log = structlog.get_logger(__name__)


class AuditedRates(Refreshed):
    """An async context manager; inside it the rates keep themselves fresh."""

    task = "audited rates"

    def __init__(self, repository: AuditsRepository) -> None:
        self._repository = repository
        self._known: dict[str, tuple[str, Rates]] = {}
        self._passed: set[str] = set()

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
