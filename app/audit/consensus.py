"""Error rates without gold."""

from __future__ import annotations

from app.audit.work import Work
from trueward.audits import AuditReport, ConsensusAudit


async def consensus(spec: ConsensusAudit, work: Work) -> AuditReport:
    raise NotImplementedError
