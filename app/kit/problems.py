"""Every error leaves as one shape: an RFC 9457 problem document that names the field and what to do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from app.kit.db import is_damaged, is_outage
from trueward.errors import (
    PLAIN_FINDINGS,
    AnsweredError,
    FieldProblem,
    InternalError,
    InvalidRequest,
    MethodNotAllowed,
    NotFound,
    Problem,
    RequestRefused,
    Unavailable,
)

Count = Callable[[int, str], None]
"""Is told the status and code of each problem."""
MEDIA_TYPE = "application/problem+json"
_MAX_FIELDS = 20
_PLACE_SHOWN = 300
"""Characters of a field's name: it may be the caller's own, and as long as the body."""
_TOLD, _DETAIL_SHOWN = 3, 200
"""How many fields the sentence tells of, for who does not read ``errors``, and in how many characters."""
PROBLEMS: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "model": Problem,
        "description": "Refused: a problem document says why",
        "content": {MEDIA_TYPE: {}},
    },
    "5XX": {"model": Problem, "description": "Our failure: a problem document", "content": {MEDIA_TYPE: {}}},
}
"""What every route may answer besides its result, for the OpenAPI document."""
_HINTS = {
    "/t/": "`trueward trainers show NAME` prints what a trainer is given; /docs lists what exists.",
    "/v1/v1/": "The URL of the service, as clients take it, ends before /v1.",
}
log = structlog.get_logger(__name__)


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    body = problem.model_dump_json(exclude_none=True)
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers or {})


def retry_headers(error: AnsweredError) -> dict[str, str]:
    """When to come back, where the error says so."""
    return {} if error.retry_after_s is None else {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))}


def render_problem(error: AnsweredError, request_id: str | None = None) -> Response:
    """The response that an error of the tree becomes."""
    headers = retry_headers(error)
    if error.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    problem = error.problem()
    problem.request_id = request_id
    return problem_response(problem, headers)


def report_problem(request: Request, error: AnsweredError, count: Count) -> Response:
    """The same, counted, and noted for the line of the log that the request has."""
    count(error.status, error.code)
    request.scope.setdefault("state", {})["refused"] = {"code": error.code, "detail": error.detail}
    return render_problem(error, _id_of(request))


def list_problems(error: ValidationError | RequestValidationError) -> list[FieldProblem]:
    """At most 20 of pydantic's findings, each with the dotted path of its field."""
    found = []
    for item in error.errors()[:_MAX_FIELDS]:
        where = [str(part) for part in item["loc"] if part != "body"]
        field = ".".join(where)[:_PLACE_SHOWN] or "body"
        detail = PLAIN_FINDINGS.get(item["type"]) or item["msg"].removeprefix("Value error, ")
        found.append(FieldProblem(field=field, code=item["type"], detail=detail))
    return found


def _uncounted(status: int, code: str) -> None:
    """Where nobody counts."""


def install(app: FastAPI, count: Count = _uncounted) -> None:
    """Registers the handlers: our tree, request validation, HTTP errors of the framework, and bugs."""

    async def on_answered(request: Request, error: Exception) -> Response:
        assert isinstance(error, AnsweredError)
        return report_problem(request, error, count)

    async def on_validation(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        fields = list_problems(error)
        found = "; ".join(f"{problem.field}: {problem.detail[:_DETAIL_SHOWN]}" for problem in fields[:_TOLD])
        count_wrong = len(error.errors())
        more = f" and {count_wrong - _TOLD} more, see errors" if count_wrong > _TOLD else ""
        wrong = (
            f"{count_wrong} fields of the request are wrong" if count_wrong > 1 else "a field of the request is wrong"
        )
        detail = f"{wrong}: {found}{more}. /docs has the schema."
        return report_problem(request, InvalidRequest(detail, errors=fields), count)

    async def on_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        kind = {404: NotFound, 405: MethodNotAllowed}.get(error.status_code, RequestRefused)
        path = request.url.path
        where = next((hint for start, hint in _HINTS.items() if path.startswith(start)), "/docs lists what exists.")
        problem = kind(f"{error.detail}: {request.method} {path}. {where}").problem()
        problem.status = error.status_code
        problem.request_id = _id_of(request)
        count(problem.status, problem.code)
        return problem_response(problem, dict(error.headers or {}))

    async def on_bug(request: Request, error: Exception) -> Response:
        if is_damaged(error):
            spoilt = Unavailable("the database is damaged; whoever runs the service has to put a backup back")
            return report_problem(request, spoilt, count)  # in the log it is since it was found
        if is_outage(error):
            log.error("the database is down", error=error)
            down = Unavailable("the database cannot be reached, or not written; nothing was scored", retry_after_s=1.0)
            return report_problem(request, down, count)
        log.error("request failed", error=error, exc_info=error)
        bug = InternalError("the service failed on this request; nothing was scored. It is logged.")
        return report_problem(request, bug, count)

    app.add_exception_handler(AnsweredError, on_answered)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(Exception, on_bug)


def _id_of(request: Request) -> str | None:
    """As :mod:`app.http.observe` named it."""
    named: str | None = request.scope.get("state", {}).get("request_id")
    return named
