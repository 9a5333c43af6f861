"""The page of a judge's preset: what it asks, what came of it, and where to try it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from app.pages.presets.service import preset_page
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]


@router.get("/presets/{name}")
async def show_preset(name: Annotated[str, Path(max_length=128)], visit: Viewing, db: DatabaseDep) -> Response:
    """One preset by its name."""
    return visit.show("presets/preset.html", await preset_page(db, name))
