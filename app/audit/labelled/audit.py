"""Stored verdicts against labels."""

from __future__ import annotations

from app.audit.work import Work
from trueward.audits import AuditReport, LabelledAudit


async def labelled(spec: LabelledAudit, work: Work) -> AuditReport:
    raise NotImplementedError
