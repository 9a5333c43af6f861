"""Errors as pages: who reads with a browser gets a page where others get a problem document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from app.pages.signin import SignInView, own_page
from app.pages.visit import Visit, wants_json
from trueward.errors import AnsweredError, Problem

Handler = Callable[[Request, Exception], Response | Awaitable[Response]]


def install(app: FastAPI) -> None:
    """Wraps the handlers that make problem documents."""
    for kind in (AnsweredError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _as_page(cast(Handler, app.exception_handlers[kind])))


def _as_page(handler: Handler) -> Handler:
    async def handle(request: Request, error: Exception) -> Response:
        made = handler(request, error)
        answer = made if isinstance(made, Response) else await made
        if not _is_read(request):
            return answer
        problem = Problem.model_validate_json(bytes(answer.body))
        visit: Visit = getattr(request.state, "visit", None) or Visit(request)
        shown = _page(visit, problem)
        kept = {name: value for name, value in answer.headers.items() if name in ("retry-after", "allow")}
        shown.headers.update(kept)
        return shown

    return handle


def _page(visit: Visit, problem: Problem) -> Response:
    request = visit.request
    fragment = "hx-request" in request.headers
    if problem.status != 401 or fragment:
        return visit.show("problem.html", problem, problem.status)
    target = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    view = SignInView(
        next=own_page(target) if request.method == "GET" else "/ui/",
        problem=problem.detail if visit.request.cookies else "",
        reload=request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site",
    )
    return visit.show("signin.html", view, 401)


def _is_read(request: Request) -> bool:
    """Whether a person reads the answer: of a page, or of an address that a browser was sent to and that is none."""
    if request.url.path.startswith("/ui"):
        return not wants_json(request)
    accepted = request.headers.get("accept", "")
    return request.method == "GET" and "text/html" in accepted and not request.url.path.startswith("/v1/")
