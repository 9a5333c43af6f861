"""Rewrites of references that keep or break their meaning."""

from __future__ import annotations

from app.audit.work import Work
from trueward.audits import AuditReport, MetamorphicAudit


async def metamorphic(spec: MetamorphicAudit, work: Work) -> AuditReport:
    raise NotImplementedError
