"""Who labels: the name of the key, or where no keys are asked for, the name that the browser was told to keep."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from app.pages.signin import own_page
from app.pages.visit import Visit, visitor
from trueward.wire.base import Wire
from verifiers.legible import legible

router = APIRouter(prefix="/ui", include_in_schema=False)
Labelling = Annotated[Visit, Depends(visitor("label"))]
COOKIE = "trueward_annotator"
LONGEST = 100
HOME = "/ui/labels"


class AnnotatorName(Wire):
    """Nobody where ``name`` is empty. ``next`` is the page to go on to."""

    name: str = Field(max_length=LONGEST)
    next: str = Field(default=HOME, max_length=4000)


@router.post("/labels/annotator")
async def name_annotator(visit: Labelling) -> Response:
    """Keeps the name in the browser; a key has its own."""
    named = visit.form(AnnotatorName)
    response = visit.go(own_page(named.next))
    visit.request.state.sessions.keep(response, visit.request, COOKIE, quote(named.name.strip()))
    return response


async def annotator_of(visit: Visit) -> str:
    """Empty where it is not known yet."""
    if visit.principal.owner is not None:
        key = await visit.request.state.keys.by_id(visit.principal.owner)
        return "" if key is None else str(key.name)
    kept = unquote(visit.request.cookies.get(COOKIE, ""), errors="replace")
    return legible(kept).strip()[:LONGEST]
