"""Audits: start, list, show, and hold one against limits."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.audit.gate import gate
from app.keys.admission import Labeller, Viewer
from app.kit.problems import PROBLEMS
from app.state import AuditsDep
from trueward.audits import Audit, AuditPage, AuditRequest, GateBound, GateReport
from trueward.errors import Conflict

router = APIRouter(prefix="/v1/audits", tags=["audits"], responses=PROBLEMS)
Limit = Annotated[float | None, Query(ge=0, le=1)]


@router.post("", status_code=202)
async def start_audit(request: AuditRequest, audits: AuditsDep, key: Labeller) -> Audit:
    """Accepts an audit; it is carried out in the service, and survives a kill."""
    return await audits.accept(request, key.owner)


@router.get("")
async def list_audits(
    audits: AuditsDep,
    key: Viewer,
    kind: Annotated[str | None, Query()] = None,
    subject: Annotated[str | None, Query(description="such as `math` or `recipe dapo`")] = None,
    after: Annotated[str | None, Query(description="`next` of the page before")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> AuditPage:
    """Newest first."""
    return await audits.page(after, limit, kind, subject)


@router.get("/{audit}")
async def show_audit(audit: str, audits: AuditsDep, key: Viewer) -> Audit:
    """How far it is, why it failed, or its report."""
    return await audits.show(audit)


@router.get("/{audit}/check")
async def check_audit(
    audit: str,
    audits: AuditsDep,
    key: Viewer,
    max_fpr: Limit = None,
    max_fnr: Limit = None,
    bound: GateBound = "upper",
) -> GateReport:
    """Whether the error rates are under these limits, by the upper ends of their intervals or by the rates."""
    found = await audits.show(audit)
    if found.report is None:
        raise Conflict(f"audit {found.id} is {found.state}: {found.failure or 'it has no report yet'}")
    return gate(found.report, max_fpr, max_fnr, bound)
