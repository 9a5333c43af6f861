"""Benchmarks of the user's own, as audits."""

from __future__ import annotations

from app.audit.work import Work
from trueward.audits import AuditReport, BenchAudit


async def bench(spec: BenchAudit, work: Work) -> AuditReport:
    raise NotImplementedError
