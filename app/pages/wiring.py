"""The pages as parts of the application: their routes, the way to them, and errors as pages."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException

from app.pages import error_pages as refused
from app.pages.registry import PAGES

router = APIRouter(include_in_schema=False)


@router.get("/")
async def front(request: Request) -> Response:
    """Browsers are led to the pages; the API has nothing here."""
    if "text/html" not in request.headers.get("accept", ""):
        raise HTTPException(404)
    return RedirectResponse("/ui/", headers={"Vary": "Accept"})


def install(app: FastAPI) -> None:
    """After the handlers of errors are in place."""
    app.router.routes += router.routes
    for page in PAGES:
        app.router.routes += page.router.routes
    refused.install(app)
