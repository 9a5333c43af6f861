"""``/docs``: the OpenAPI document to read and try, from assets of our own, because clusters have no internet."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import HTMLResponse
from fastapi.staticfiles import StaticFiles

ASSETS = StaticFiles(directory=Path(__file__).parent / "swagger-ui")
router = APIRouter(include_in_schema=False)


@router.get("/docs")
async def docs() -> HTMLResponse:
    """The page; its assets are under ``/docs/assets``."""
    page = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="Trueward: HTTP API",
        swagger_js_url="/docs/assets/swagger-ui-bundle.js",
        swagger_css_url="/docs/assets/swagger-ui.css",
        swagger_favicon_url="/docs/assets/favicon-32x32.png",
    )
    # its buttons send requests: no other site may show it as its own
    page.headers["Content-Security-Policy"] = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
    return page
