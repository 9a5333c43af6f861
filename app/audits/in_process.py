"""Audits without a service: judged in this process's own workers, nothing recorded, no labels.

For the command line, and for a notebook: ``await audit_here(settings, spec)``.
"""

from __future__ import annotations

from app.audits.judging import Judging
from app.kit.clock import now
from app.kit.tokens import new_id
from app.path.in_process import open_path
from app.settings import Settings
from audits.kinds import carry_out, refuse_unknown
from audits.ports import NoLedger, Progress, Work
from trueward.errors import RequestRefused
from trueward.former_names import former_names
from trueward.wire.audit import Audit, AuditSpec


async def _silent(done: int, total: int) -> None:
    return None


async def audit_here(settings: Settings, spec: AuditSpec, name: str = "", progress: Progress = _silent) -> Audit:
    """The audit at its end: completed with its report, or failed, as where it needs records of a service.

    Raises what its subject is refused with, such as :class:`~trueward.errors.UnknownVerifier`.
    """
    audit = Audit(id=new_id(), name=name, spec=spec, state="waiting", created_at=now())
    async with open_path(settings) as path:
        judging = Judging(path, f"audit:{audit.id}", None, None, settings.max_deadline_s)
        refuse_unknown(spec)
        judging.admit(spec)
        try:
            report = await carry_out(spec, Work(audit.id, NoLedger(), judging, progress))
        except RequestRefused as refusal:
            return audit.model_copy(update={"state": "failed", "failure": refusal.detail, "finished_at": now()})
        report.versions |= judging.list_versions()
    return audit.model_copy(update={"state": "completed", "report": report, "finished_at": now()})


__getattr__ = former_names(__name__, {"audited_here": "audit_here"})
