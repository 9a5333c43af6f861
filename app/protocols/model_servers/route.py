"""Refusals and failures in the words of the server that we stand in for: its clients read no problem document.

Where a path is of two servers, the keys of the body say whose client it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import JsonValue

from app.http.operation import Handler
from app.http.route import BodyRoute
from app.kit.problems import list_problems, render_problem
from trueward.errors import AnsweredError, InvalidRequest

EMPTY = "empty"
"""Code of a field without anything to judge, for which text-embeddings-inference has a status of its own."""

Form = Callable[[AnsweredError], tuple[int, JsonValue]]

_BODY = "trueward.native_body"
_OPENAI_TYPES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    409: "ConflictError",
    503: "ServiceUnavailableError",
}


def openai_error(error: AnsweredError) -> tuple[int, JsonValue]:
    """vLLM's: what we call 413 or 422 is 400 there."""
    status = _openai_status(error)
    param = error.errors[0].field if error.errors else None
    kind = _OPENAI_TYPES.get(status, "InternalServerError")
    return status, {"error": {"message": error.detail, "type": kind, "param": param, "code": status}}


def flat_error(error: AnsweredError) -> tuple[int, JsonValue]:
    """SGLang's, on the paths that it has of OpenAI."""
    status = _openai_status(error)
    kind = _OPENAI_TYPES.get(status, "InternalServerError")
    return status, {"object": "error", "message": error.detail, "type": kind, "param": None, "code": status}


def native_error(error: AnsweredError) -> tuple[int, JsonValue]:
    """SGLang's, on its own paths."""
    return _openai_status(error), {"error": {"message": error.detail}}


def tei_error(error: AnsweredError) -> tuple[int, JsonValue]:
    """text-embeddings-inference's: overload is 429 there, and a backend that fails 424."""
    status, kind = {"overloaded": (429, "Overloaded"), "too_large": (413, "Validation")}.get(error.code, (0, ""))
    if not status:
        status, kind = (424, "Backend") if error.status >= 500 else (error.status, "Validation")
    if error.errors and error.errors[0].code == EMPTY:
        status, kind = 400, "Empty"
    return status, {"error": error.detail, "error_type": kind}


def form_of(path: str, body: JsonValue) -> Form:
    """Whose words a path speaks, for a body such as this."""
    keys: Mapping[str, JsonValue] = body if isinstance(body, dict) else {}
    if path in ("/predict", "/info") or (path == "/rerank" and "texts" in keys):
        return tei_error
    if path == "/generate" or (path == "/classify" and "text" in keys):
        return native_error
    if path == "/v1/embeddings" or (path == "/v1/score" and scores_next_tokens(keys)):
        return flat_error
    return openai_error


def scores_next_tokens(body: Mapping[str, JsonValue]) -> bool:
    """Whether a body of ``/v1/score`` is SGLang's."""
    return "query" in body and "items" in body and "label_token_ids" in body


class NativeRoute(BodyRoute):
    strict = False
    goes_with_client = True

    def answering(self) -> Handler:
        handler = super().answering()

        async def answer(request: Request) -> Response:
            if self.body_field is not None:
                request.scope[_BODY] = await request.json()
            return await handler(request)

        return answer

    def get_route_handler(self) -> Handler:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except AnsweredError as error:
                return _foreign(request, error)
            except RequestValidationError as wrong:
                fields = list_problems(wrong)
                said = "; ".join(f"{one.field}: {one.detail}" for one in fields[:3])
                return _foreign(request, InvalidRequest(said, errors=fields))

        return handle


def _foreign(request: Request, error: AnsweredError) -> Response:
    status, body = form_of(request.scope["path"], request.scope.get(_BODY))(error)
    headers = {
        name: value
        for name, value in render_problem(error).headers.items()
        if name in ("retry-after", "www-authenticate")
    }
    return JSONResponse(body, status_code=status, headers=headers)


def _openai_status(error: AnsweredError) -> int:
    return 400 if error.status in (413, 422) else error.status
