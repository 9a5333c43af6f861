"""Audits: start, list, show, and hold one against limits."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response

from app.http.route import BodyRoute
from app.keys.admission import Labeller, Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.state import AuditsDep
from audits.plan import plan
from audits.report.page import HEADERS, page
from trueward.errors import Conflict
from trueward.gate import gate
from trueward.wire.audit import Audit, AuditPage, AuditReport, AuditRequest, AuditSummary, GateBound, GateReport
from trueward.wire.label_plan import LabelPlan, LabelQuestion

router = APIRouter(prefix="/v1/audits", route_class=BodyRoute, tags=["audits"], responses=PROBLEMS)
REPORT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The report",
        "content": {
            "text/html": {"schema": {"type": "string"}},
            "application/json": {"schema": {"$ref": "#/components/schemas/Audit"}},
        },
    }
}
Limit = Annotated[float | None, Query(ge=0, le=1)]


@router.post("", status_code=202)
async def start_audit(request: AuditRequest, audits: AuditsDep, key: Labeller) -> Audit:
    """Accepts an audit; it is carried out in the service, and survives a kill."""
    return await audits.accept(request, key.owner)


@router.get("")
async def list_audits(
    audits: AuditsDep,
    key: Viewer,
    wanted: SliceDep,
    kind: Annotated[str | None, Query()] = None,
    subject: Annotated[str | None, Query(description="such as `math` or `recipe dapo`")] = None,
) -> AuditPage:
    """Newest first."""
    return await audits.page(wanted, kind, subject)


@router.post("/plan")
async def plan_labels(question: LabelQuestion, key: Viewer) -> LabelPlan:
    """How many responses to label before a gate can pass, or an interval is narrow enough."""
    return await asyncio.to_thread(plan, question)


@router.get("/{audit}")
async def show_audit(audit: str, audits: AuditsDep, key: Viewer) -> Audit:
    """How far it is, why it failed, or its report."""
    return await audits.show(audit)


@router.delete("/{audit}")
async def cancel_audit(audit: str, audits: AuditsDep, key: Labeller, viewer: Viewer) -> Audit:
    """Ends an audit, as failed. What it judged stays in the ledger; one that has ended is answered as it is."""
    return await audits.cancel(audit)


@router.get("/{audit}/progress")
async def show_progress(audit: str, audits: AuditsDep, key: Viewer) -> AuditSummary:
    """How far it is, for those who wait: without the specification and the report."""
    return await audits.progress(audit)


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
    return gate(_report(await audits.show(audit)), max_fpr, max_fnr, bound)


@router.get("/{audit}/report", response_class=Response, responses=REPORT)
async def show_report(
    audit: str,
    audits: AuditsDep,
    key: Viewer,
    form: Annotated[Literal["html", "json"], Query(alias="format")] = "html",
) -> Response:
    """One file to keep: a page that needs nothing else, or the audit as JSON, which a gate can read again."""
    found = await audits.show(audit)
    report = _report(found)
    if form == "json":
        return Response(found.model_dump_json(), media_type="application/json")
    return HTMLResponse(await asyncio.to_thread(page, found, report), headers=HEADERS)


def _report(audit: Audit) -> AuditReport:
    if audit.report is None:
        raise Conflict(f"audit {audit.id} is {audit.state}: {audit.failure or 'it has no report yet'}")
    return audit.report
