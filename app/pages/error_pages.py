"""Errors as pages: who reads with a browser gets a page where others get a problem document."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from app.keys.admission import read_key
from app.pages.registry import FIRST
from app.pages.session import COOKIE
from app.pages.signin import SignInView, own_page
from app.pages.visit import Visit, recognise, wants_json
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
        visit: Visit = getattr(request.state, "visit", None) or await _visit_of_no_page(request)
        if isinstance(error, HTTPException) and error.status_code == 404:
            problem.detail = f"there is no page at {request.url.path}"
        shown = _page(visit, problem)
        kept = {name: value for name, value in answer.headers.items() if name in ("retry-after", "allow")}
        shown.headers.update(kept)
        return shown

    return handle


def _page(visit: Visit, problem: Problem) -> Response:
    request = visit.request
    fragment = "hx-request" in request.headers
    if problem.status == 401 and fragment:
        problem.detail = _reason(request, problem)
    if problem.status != 401 or fragment:
        return visit.show("problem.html", problem, problem.status)
    target = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    view = SignInView(
        next=own_page(target) if request.method == "GET" else FIRST,
        problem=_reason(request, problem),
        reload=request.method == "GET" and request.headers.get("sec-fetch-site") == "cross-site",
    )
    return visit.show("signin.html", view, 401)


def _reason(request: Request, problem: Problem) -> str:
    """Why somebody who came with a key or in a session, or is on a page already, is asked for a key; else nothing."""
    if read_key(request.scope) is not None:
        return problem.detail
    signed_in = COOKIE in request.cookies or "hx-request" in request.headers
    return "This session has ended: sign in again." if signed_in else ""


async def _visit_of_no_page(request: Request) -> Visit:
    """For an address that is none: the pages that the visitor may open stand above it all the same."""
    try:
        visit = await recognise(request, strictly=False)
    except Exception:  # noqa: BLE001 - the database may be what is down, and the first error is the one to be told
        return Visit(request)
    visit.nonce = None  # there is no form, and outside of /ui the browser does not show the nonce that it has
    return visit


def _is_read(request: Request) -> bool:
    """Whether a person reads the answer: of a page, or of an address that a browser was sent to and that is none."""
    if request.url.path.startswith("/ui"):
        return not wants_json(request)
    accepted = request.headers.get("accept", "")
    return request.method == "GET" and "text/html" in accepted and not request.url.path.startswith("/v1/")
