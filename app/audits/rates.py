"""The error rates that audits found, at hand for recipes that correct with them, and which judges failed their gate.

Scoring asks without waiting, so they are kept in memory. An audit's report is final, so what is known of it stays
right; one that another server of the same database completed is known within two seconds.
"""

from __future__ import annotations

import structlog
from pydantic import ValidationError

from app.audits.repository import AuditsRepository
from app.kit.background import Refreshed
from rewards.noise.rates import Rates
from trueward.wire.verdict import Producer

log = structlog.get_logger(__name__)


class AuditedRates(Refreshed):
    """An async context manager; inside it the rates keep themselves fresh. Judges are shared, so only an audit that
    ``gating`` knows holds one against its gate: no project stops the judges of another."""

    task = "audited rates"

    def __init__(self, repository: AuditsRepository, gating: AuditsRepository | None = None) -> None:
        self._repository = repository
        self._gating = gating or repository
        self._known: dict[str, tuple[str, Rates]] = {}
        self._gates: dict[tuple[str, str, str], tuple[str, bool]] = {}
        self._passed: set[str] = set()

    def find(self, audit: str) -> tuple[str, Rates] | None:
        """The verifier's name with its rates; None where no completed audit of that id measured any."""
        return self._known.get(audit)

    def find_failed(self, producer: Producer) -> str | None:
        """The latest audit that held this verifier, with these parameters and models, against a gate, where it did not
        pass. One that does not say which models it asked may have asked these."""
        asked = [self._gates.get((producer.name, producer.params, one)) for one in {models_of(producer.version), ""}]
        audit, passed = max((one for one in asked if one is not None), default=("", True))
        return None if passed else audit

    async def refresh(self) -> None:
        """Takes in what was completed since."""
        for audit in await self._repository.list_completed() - self._passed:
            await self._take_gate(audit)
            found = await self._repository.rates(audit)
            self._passed.add(audit)
            if found is not None:
                verifier, body = found
                try:
                    self._known[audit] = (verifier, Rates.model_validate(body))
                except ValidationError as refusal:
                    log.error("rates of an audit cannot be read", audit=audit, error=refusal)

    async def _take_gate(self, audit: str) -> None:
        """Ids sort by the time at which an audit was asked for."""
        found = await self._gating.gate(audit)
        if found is not None:
            producer, passed = found
            judge = (producer.name, producer.params, models_of(producer.version))
            if audit > self._gates.get(judge, ("", True))[0]:
                self._gates[judge] = (audit, passed)


def models_of(version: str) -> str:
    """The stamp of a judge's models: see :func:`judges.base.stamped`."""
    return version.partition("+")[2]
