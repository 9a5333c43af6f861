"""The pages of audits: the list, one audit, a verifier by its newest audit, the samples of a cell, and exports."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Query, Response

from app.pages.audits.export import as_csv
from app.pages.audits.form import audit_request
from app.pages.audits.matrix import Cell
from app.pages.audits.rates import LIMIT
from app.pages.audits.service import AuditListQuery, audit_view, audits_view, cell_view, newest_of
from app.pages.audits.views import AuditForm, CorrectForm
from app.pages.guard import PAGE_HEADERS
from app.pages.paths import recipe_path
from app.pages.visit import Visit, visitor
from app.state import AuditsDep, DatabaseDep, RecipesDep, RunsDep
from audits.report.page import HEADERS, page
from trueward.errors import AnsweredError, Conflict, Forbidden
from trueward.wire.recipe import RecipeCorrection

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Labelling = Annotated[Visit, Depends(visitor("label"))]
Correcting = Annotated[Visit, Depends(visitor("score", shared=True))]
Named = Annotated[str | None, Query(max_length=600)]
Limit = Annotated[float, Query(gt=0, lt=1)]


@router.get("/audits")
async def audits_page(
    visit: Viewing,
    audits: AuditsDep,
    recipes: RecipesDep,
    runs: RunsDep,
    subject: Named = None,
    kind: Named = None,
    after: Named = None,
    judge: Annotated[str | None, Query(max_length=400)] = None,
    run: Annotated[str, Query(max_length=512)] = "",
    steps: Annotated[str, Query(max_length=40)] = "",
    split: Literal["", "train", "eval"] = "",
    params: Annotated[str, Query(max_length=4000)] = "",
) -> Response:
    """The newest of each kind and subject; with ``?subject=`` or ``?kind=`` all of them. The rest fills the form."""
    asked = AuditListQuery(kind=kind or None, subject=subject or None, after=after)
    form = AuditForm(run=run, steps=steps, split=split, params=params)
    form.judge = judge or form.judge
    view = await audits_view(audits, recipes, runs, asked, form)
    if view.next is not None:
        further = {"subject": asked.subject, "kind": asked.kind, "after": view.next}
        view.next = "/ui/audits?" + urlencode({name: value for name, value in further.items() if value})
    return visit.show("audits/list.html", view)


@router.post("/audits")
async def start_audit(visit: Labelling, audits: AuditsDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Starts an audit and goes on to it; a refusal is shown beside the form as it was sent."""
    form = visit.form(AuditForm)
    try:
        audit = await audits.accept(audit_request(form), visit.principal.owner)
    except AnsweredError as refusal:
        view = await audits_view(audits, recipes, runs, AuditListQuery(), form)
        view.problem = refusal.problem()
        return visit.show("audits/list.html", view, refusal.status)
    return visit.go(f"/ui/audits/{audit.id}")


@router.get("/verifiers/{subject:path}")
async def verifier_page(
    subject: str, visit: Viewing, audits: AuditsDep, recipes: RecipesDep, limit: Limit = LIMIT
) -> Response:
    """A verifier, or ``recipe <name>``, by its newest audit; without any, the list and its form."""
    newest = await newest_of(audits, subject)
    if newest is None:
        judge = f"recipe:{subject.removeprefix('recipe ')}" if subject.startswith("recipe ") else f"verifier:{subject}"
        return visit.go(f"/ui/audits?{urlencode({'subject': subject[:600], 'judge': judge[:400]}, quote_via=quote)}")
    return visit.show("audits/audit.html", await audit_view(audits, recipes, newest, limit))


@router.get("/audits/{audit}")
async def audit_page(
    audit: str, visit: Viewing, audits: AuditsDep, recipes: RecipesDep, limit: Limit = LIMIT
) -> Response:
    """One audit on one screen; ``?limit=0.02`` is what its rates are held against."""
    view = await audit_view(audits, recipes, audit, limit)
    return visit.go(f"/ui/compare/{view.id}") if view.kind == "reverify" else visit.show("audits/audit.html", view)


@router.post("/audits/{audit}/correct")
async def correct_recipe(audit: str, visit: Correcting, audits: AuditsDep, recipes: RecipesDep) -> Response:
    """Stores a recipe anew, corrected with the audit's rates, and goes on to it; a refusal is shown with the audit."""
    if not visit.may("view"):
        raise Forbidden("this key lacks the scope view, so it does not see audits")
    form = visit.form(CorrectForm)
    try:
        made = await recipes.correct(form.recipe, RecipeCorrection(audit=audit), visit.principal.owner, audits)
    except AnsweredError as refusal:
        view = await audit_view(audits, recipes, audit, LIMIT)
        view.problem = refusal.problem()
        return visit.show("audits/audit.html", view, refusal.status)
    return visit.go(recipe_path(made.name))


@router.get("/audits/{audit}/cells/{cell}")
async def cell_page(
    audit: str, cell: Cell, visit: Viewing, audits: AuditsDep, db: DatabaseDep, after: Named = None
) -> Response:
    """The samples of one cell of the confusion matrix, newest first."""
    return await visit.show_apart("audits/cell.html", await cell_view(audits, db, audit, cell, after))


@router.get("/audits/{audit}/export")
async def export(
    audit: str,
    visit: Viewing,
    audits: AuditsDep,
    form: Annotated[Literal["html", "json", "csv"], Query(alias="as")] = "html",
) -> Response:
    """The report as a file to keep. The API's own is not reached with a browser's cookie."""
    found = await audits.show(audit)
    if found.report is None:
        raise Conflict(f"audit {found.id} is {found.state}: {found.failure or 'it has no report yet'}")
    headers = {**PAGE_HEADERS, "Content-Disposition": f'attachment; filename="audit-{found.id}.{form}"'}
    if form == "json":
        return Response(found.model_dump_json(), media_type="application/json", headers=headers)
    if form == "csv":
        text = await asyncio.to_thread(as_csv, found.report)
        return Response(text, media_type="text/csv; charset=utf-8", headers=headers)
    whole = await asyncio.to_thread(page, found, found.report)
    return Response(whole, media_type="text/html; charset=utf-8", headers={**headers, **HEADERS})
