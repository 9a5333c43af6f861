"""One visit of a page: who it is, what they posted, and the answer as the form in which they want it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import parse_qsl

from fastapi import Request, Response
from pydantic import BaseModel, ValidationError

from app.http.route import read_bounded
from app.keys.admission import (
    KEYLESS,
    Principal,
    principal_of,
    read_key,
    refuse_other_projects,
    require_scope,
)
from app.keys.service import principal_of as principal_behind
from app.kit.problems import list_problems
from app.pages.environment import render_template
from app.pages.guard import PAGE_HEADERS, SAFE_METHODS, form_token, refuse_foreign_form, refuse_other_sites
from app.pages.session import COOKIE, FORM_COOKIE, Sessions
from app.path.caller import Caller
from app.settings import Settings
from trueward.errors import Forbidden, InvalidRequest
from trueward.wire.key import KeyScope
from verifiers.legible import legible

Model = TypeVar("Model", bound=BaseModel)
TOKEN_FIELD = "csrf"  # noqa: S105 - the name of a field
TOKEN_HEADER = "x-csrf-token"  # noqa: S105
MAX_FORM_BYTES = 8 * 2**20
_MAX_FIELDS = 10_000
_NOBODY = Principal(None, frozenset())


@dataclass(slots=True)
class Visit:
    """``name`` is the signed-in key's, empty where there is none; ``token`` is what the page's forms carry.

    ``nonce`` is new to the browser, which gets it as a cookie; None where it has one.
    """

    request: Request
    principal: Principal = _NOBODY
    name: str = ""
    token: str = ""
    nonce: str | None = None
    posted: dict[str, list[str]] = field(default_factory=dict)

    @property
    def keyless(self) -> bool:
        return self.principal is KEYLESS

    @property
    def caller(self) -> Caller:
        """For what is judged on a page."""
        return Caller(owner=self.principal.owner, project=self.principal.project, protocol="playground")

    def may(self, scope: KeyScope) -> bool:
        return bool(self.principal.scopes & {scope, "admin"})

    def form(self, model: type[Model]) -> Model:
        """The posted form; of fields that come again, the last counts. Raises :class:`InvalidRequest`."""
        values = {name: given[-1] for name, given in self.posted.items() if name != TOKEN_FIELD}
        try:
            return model.model_validate(values)
        except ValidationError as refusal:
            fields = list_problems(refusal)
            raise InvalidRequest("; ".join(f"{one.field}: {one.detail}" for one in fields), errors=fields) from None

    def show(self, template: str, view: BaseModel, status: int = 200) -> Response:
        """The page, or the view model as JSON where that is asked for."""
        if wants_json(self.request):
            body = view.__pydantic_serializer__.to_json(view)
            return Response(body, status, media_type="application/json", headers=PAGE_HEADERS)
        response = Response(
            render_template(template, visit=self, view=view), status, media_type="text/html", headers=PAGE_HEADERS
        )
        if self.nonce is not None:
            sessions: Sessions = self.request.state.sessions
            sessions.keep(response, self.request, FORM_COOKIE, self.nonce)
        return response

    async def show_apart(self, template: str, view: BaseModel, status: int = 200) -> Response:
        """The same in a thread, for a page with samples: long texts take a while to be written."""
        return await asyncio.to_thread(self.show, template, view, status)

    def go(self, path: str) -> Response:
        """On to another page of ours, by GET."""
        return Response(status_code=303, headers={**PAGE_HEADERS, "Location": path})


def visitor(needed: KeyScope | None, *, shared: bool = False) -> Callable[[Request], Awaitable[Visit]]:
    """A dependency: the visit of somebody with the scope, or of anybody where it is None. ``shared``: the page shows
    what all projects did, so it is for keys of the default one.

    Raises :class:`Unauthorized` or :class:`Forbidden`; also for a form that did not come from a page of ours.
    """

    async def admit(request: Request) -> Visit:
        refuse_other_sites(request)
        visit = await recognise(request, bool(needed))
        if needed is not None:
            visit.principal = await require_scope(request, needed)
            if shared:
                refuse_other_projects(visit.principal)
        if request.method not in SAFE_METHODS:
            visit.posted = await _posted(request)
            # which no browser adds by itself
            if not request.headers.get("authorization", "").lower().startswith("bearer "):
                given = visit.posted.get(TOKEN_FIELD, [""])[-1]
                refuse_foreign_form(request.headers.get(TOKEN_HEADER, given), visit.token)
        return visit

    return admit


def wants_json(request: Request) -> bool:
    """``?format=`` decides; without it, whoever asks for JSON and not for HTML."""
    named = request.query_params.get("format")
    if named in ("json", "html"):
        return named == "json"
    accepted = request.headers.get("accept", "")
    return "application/json" in accepted and "text/html" not in accepted


async def recognise(request: Request, strictly: bool) -> Visit:
    """Whoever the cookie, else the request's key, stands for; the visit is kept for the page of an error.

    ``strictly``: raises :class:`Unauthorized` for a visitor without either, where the service needs keys.
    """
    settings: Settings = request.state.settings
    sessions: Sessions = request.state.sessions
    visit = request.state.visit = Visit(request)
    token = request.cookies.get(COOKIE, "")
    if settings.needs_keys and token and read_key(request.scope) is None:
        key = await sessions.key(token)
        if key is not None:
            visit.name = key.name
            request.state.principal = visit.principal = principal_behind(key)
    signed_in = bool(visit.name)
    if not signed_in and (strictly or not settings.needs_keys):
        visit.token = _stranger_token(visit, sessions)
        visit.principal = await principal_of(request)
        return visit
    visit.token = form_token(sessions.secret, token) if signed_in else _stranger_token(visit, sessions)
    return visit


def _stranger_token(visit: Visit, sessions: Sessions) -> str:
    """By a nonce of the browser's own."""
    known = visit.request.cookies.get(FORM_COOKIE)
    if known is None:
        visit.nonce = known = secrets.token_urlsafe(18)
    return form_token(sessions.secret, f"nobody {known[:100]}")


async def _posted(request: Request) -> dict[str, list[str]]:
    """The fields of an urlencoded form, each legible text. Raises :class:`TooLarge` or :class:`InvalidRequest`."""
    raw = await read_bounded(request, min(MAX_FORM_BYTES, request.state.settings.max_body_bytes))
    if not raw:
        return {}
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise InvalidRequest("a form is sent as application/x-www-form-urlencoded; programs use the API under /v1")
    if raw.count(b"&") >= _MAX_FIELDS:
        raise Forbidden(f"a form has at most {_MAX_FIELDS} fields")
    found: dict[str, list[str]] = {}
    for name, value in parse_qsl(raw.decode("latin-1"), keep_blank_values=True, encoding="utf-8", errors="replace"):
        # browsers send every end of a line as two characters
        found.setdefault(name, []).append(legible(value.replace("\r\n", "\n")))
    return found
