"""Audits without a service: judged in this process's own workers, nothing recorded, no labels.

For the command line, and for a notebook: ``await audited_here(settings, spec)``.
"""

from __future__ import annotations

from app.audits.judging import Judging
from app.kit.clock import now
from app.kit.tokens import new_id
from app.scoring.unrecorded import unrecorded_path
from app.settings import Settings
from audits.kinds import carry_out
from audits.work import NoLedger, Progress, Work
from trueward.audits import Audit, AuditSpec
from trueward.errors import RequestRefused


async def _silent(done: int, total: int) -> None:
    return None


async def audited_here(settings: Settings, spec: AuditSpec, name: str = "", progress: Progress = _silent) -> Audit:
    """The audit at its end: completed with its report, or failed, as where it needs records of a service.

    Raises what its subject is refused with, such as :class:`~trueward.errors.UnknownVerifier`.
    """
    audit = Audit(id=new_id(), name=name, spec=spec, state="waiting", created_at=now())
    async with unrecorded_path(settings) as path:
        judging = Judging(path, f"audit:{audit.id}", None, None, settings.max_deadline_s)
        judging.admit(spec)
        try:
            report = await carry_out(spec, Work(audit.id, NoLedger(), judging, progress))
        except RequestRefused as refusal:
            return audit.model_copy(update={"state": "failed", "failure": refusal.detail, "finished_at": now()})
        report.versions |= judging.judged_by()
    return audit.model_copy(update={"state": "completed", "report": report, "finished_at": now()})
