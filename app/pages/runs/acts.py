"""What is done from a run's page: an alarm is closed, a recipe frozen or thawed, twenty responses are drawn."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response

from app.labels.draws import DrawsService
from app.pages.labelling.draws import require_view
from app.pages.paths import run_path
from app.pages.runs.views import CloseForm, DrawForm, FreezeForm
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep, FreezesDep, WatchesDep
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.audit import Population, Subject
from trueward.wire.draw import DrawRequest

router = APIRouter(prefix="/ui", include_in_schema=False)
Labelling = Annotated[Visit, Depends(visitor("label"))]
Scoring = Annotated[Visit, Depends(visitor("score"))]
DRAWN = 20
_DIGITS = 15


@router.post("/alarms/{alarm}/close")
async def close_alarm(alarm: str, visit: Labelling, watches: WatchesDep) -> Response:
    """With the reason on record; only what is recorded later raises it again."""
    closed = await watches.close(alarm, visit.form(CloseForm).reason, visit.principal.owner)
    return visit.go(f"{run_path(closed.run)}#alarms")


@router.post("/freezes")
async def freeze_recipe(visit: Scoring, freezes: FreezesDep) -> Response:
    """Refuses a recipe's rewards from now on, or lifts that."""
    form, principal = visit.form(FreezeForm), visit.principal
    if form.act == "freeze":
        await freezes.freeze(form.recipe, form.reason, None, principal.owner, principal.project)
    else:
        await freezes.lift(form.recipe, form.reason, principal.owner, principal.project)
    return visit.go(f"{run_path(form.run)}#alarms")


@router.post("/runs-draw")
async def draw_twenty(visit: Labelling, db: DatabaseDep) -> Response:
    """Draws about twenty responses of a run, of a step and later ones where one is named, and goes on to label them."""
    require_view(visit)
    form = visit.form(DrawForm)
    population = Population(run=form.run, first_step=_step(form.step))
    name = f"{form.run[:200]}{f' from step {form.step}' if form.step else ''}"
    wanted = DrawRequest(
        name=name, subject=Subject(verifier=form.verifier), population=population, rest=1.0, limit=DRAWN
    )
    draw = await DrawsService(db).make(wanted, visit.principal.owner)
    return visit.go(f"/ui/labels/{draw.id}")


def _step(text: str) -> int | None:
    if not text.strip():
        return None
    if not (text.strip().isdecimal() and len(text.strip()) <= _DIGITS):
        wrong = FieldProblem(field="step", code="number", detail="must be a step, a whole number from 0 on")
        raise InvalidRequest("step must be a step, a whole number from 0 on", errors=[wrong])
    return int(text)
