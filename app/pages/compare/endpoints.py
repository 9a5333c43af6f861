"""The pages of comparisons: the list and its form, one comparison, its flips, and the promotion of a recipe."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response

from app.pages.compare.promotion import Promotion
from app.pages.compare.service import compare_view, comparison_request, comparison_view, flips_view
from app.pages.compare.views import CompareForm, PromoteForm, Way
from app.pages.visit import Visit, visitor
from app.state import AuditsDep, DatabaseDep, PlannerDep, RecipesDep, RunsDep
from trueward.errors import AnsweredError

router = APIRouter(prefix="/ui/compare", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Labelling = Annotated[Visit, Depends(visitor("label"))]
Administering = Annotated[Visit, Depends(visitor("admin"))]
Name = Annotated[str, Query(max_length=600)]


@router.get("")
async def compare_page(
    visit: Viewing,
    audits: AuditsDep,
    recipes: RecipesDep,
    runs: RunsDep,
    before: Name = "",
    judge: Name = "",
    run: Name = "",
    after: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """Comparisons, newest first, and the form; ``?before=recipe:a&judge=recipe:b&run=r1`` fills it."""
    given = {"before": before[:400], "judge": judge[:400], "run": run[:512]}
    form = CompareForm(**{name: value for name, value in given.items() if value})
    return visit.show("compare/list.html", await compare_view(audits, recipes, runs, form, after))


@router.post("")
async def start_comparison(visit: Labelling, audits: AuditsDep, recipes: RecipesDep, runs: RunsDep) -> Response:
    """Starts a comparison and goes on to it; a refusal is shown beside the form as it was sent."""
    form = visit.form(CompareForm)
    try:
        audit = await audits.accept(comparison_request(form), visit.principal.owner)
    except AnsweredError as refusal:
        view = await compare_view(audits, recipes, runs, form, None)
        view.problem = refusal.problem()
        return visit.show("compare/list.html", view, refusal.status)
    return visit.go(f"/ui/compare/{audit.id}")


@router.get("/{audit}")
async def comparison_page(audit: str, visit: Viewing, audits: AuditsDep, runs: RunsDep, db: DatabaseDep) -> Response:
    """Flips both ways, with their test and interval."""
    return await visit.show_apart("compare/comparison.html", await comparison_view(audits, runs, db, audit))


@router.get("/{audit}/flips/{way}")
async def flips_page(
    audit: str,
    way: Way,
    visit: Viewing,
    audits: AuditsDep,
    db: DatabaseDep,
    start: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """The samples that flipped one way."""
    return await visit.show_apart("compare/flips.html", await flips_view(audits, db, audit, way, start))


@router.get("/{audit}/promote")
async def promotion_page(
    audit: str,
    visit: Administering,
    audits: AuditsDep,
    runs: RunsDep,
    recipes: RecipesDep,
    planner: PlannerDep,
    run: Annotated[str, Query(max_length=512)] = "",
    name: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """What would change, to be confirmed with a reason."""
    view = await Promotion(audits, runs, recipes, planner).view(audit, PromoteForm(run=run, name=name))
    return visit.show("compare/promote.html", view)


@router.post("/{audit}/promote")
async def promote(
    audit: str, visit: Administering, audits: AuditsDep, runs: RunsDep, recipes: RecipesDep, planner: PlannerDep
) -> Response:
    """Carries it out, and shows how it stands then; a refusal is shown beside what was to change."""
    form = visit.form(PromoteForm)
    promotion = Promotion(audits, runs, recipes, planner)
    view = await promotion.view(audit, form)
    try:
        await promotion.carry_out(audit, form, visit.principal)
    except AnsweredError as refusal:
        view.problem = refusal.problem()
        return visit.show("compare/promote.html", view, refusal.status)
    target = {"run": form.run} if form.run else {"name": form.name}
    return visit.go(f"/ui/compare/{audit}/promote?{urlencode(target)}")
