"""Stored samples judged again."""

from __future__ import annotations

from app.audit.work import Work
from trueward.audits import AuditReport, ReverifyAudit


async def reverify(spec: ReverifyAudit, work: Work) -> AuditReport:
    raise NotImplementedError
