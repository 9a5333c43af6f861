"""The routes of the labelling pages; the longer paths after those that they would hide."""

from __future__ import annotations

from fastapi import APIRouter

from app.pages.labelling import annotator, draws, items

router = APIRouter(include_in_schema=False)
for part in (annotator, draws, items):
    router.include_router(part.router)
