"""Who asks: finds the API key wherever a trainer can put one, and what it may do.

Trainers send no header of ours, so a key may also be a path prefix (``/k/<key>/...``), a query parameter
(``?key=``), or the user info of the URL (which clients turn into Basic). On loopback, keyless, whatever
credential is sent is ignored; from which pages a request may come then is :mod:`app.http.entrance`, which takes the
prefix off the path, too.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request
from starlette.datastructures import Headers
from starlette.types import Scope

from app.projects.visibility import Sight
from app.settings import Settings
from trueward.errors import Forbidden, Unauthorized
from trueward.wire.key import KeyScope

SCOPES: tuple[KeyScope, ...] = ("score", "view", "label", "admin")


@dataclass(frozen=True, slots=True)
class Principal:
    """The key behind a request (None: keyless), its scopes, and its project (None: the default one); ``admin``
    includes the other scopes."""

    owner: str | None
    scopes: frozenset[str]
    project: str | None = None

    @property
    def sight(self) -> Sight:
        """The records that it may see: all for an administrator of the default project, else those of its project."""
        return Sight(self.project, everything=self.project is None and "admin" in self.scopes)


KEY_PARAMETER = "key"
"""The query parameter that may carry a key, on every path."""
KEYLESS = Principal(None, frozenset(SCOPES))


def read_key(scope: Scope) -> str | None:
    """The key of a request, wherever it carries one; None if there is none."""
    if "path_key" in scope:
        return str(scope["path_key"])
    scheme, _, credential = Headers(scope=scope).get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credential.strip()
    if scheme.lower() == "basic":
        return _basic(credential)
    if b"key=" in scope["query_string"]:
        named = parse_qs(scope["query_string"].decode("latin-1")).get(KEY_PARAMETER)
        return named[0] if named else None
    return None


def _basic(credential: str) -> str | None:
    try:
        user, _, password = base64.b64decode(credential, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return password or user or None


def require(needed: KeyScope) -> Callable[[Request], Awaitable[Principal]]:
    """A dependency that admits keys with the scope: :func:`require_scope`."""

    async def admit(request: Request) -> Principal:
        return await require_scope(request, needed)

    return admit


async def require_scope(request: Request, needed: KeyScope) -> Principal:
    """The principal of a request, if it has the scope. Raises :class:`Unauthorized` or :class:`Forbidden`."""
    principal = await principal_of(request)
    if needed not in principal.scopes and "admin" not in principal.scopes:
        owned = f"scope{'' if len(principal.scopes) == 1 else 's'} {', '.join(sorted(principal.scopes))}"
        raise Forbidden(f"this key has the {owned}; this needs {needed}: ask an administrator for a key with it")
    return principal


def operating(needed: KeyScope) -> Callable[[Request], Awaitable[Principal]]:
    """A dependency that admits keys of the default project with the scope: for what all projects share."""

    async def admit(request: Request) -> Principal:
        principal = await require_scope(request, needed)
        refuse_other_projects(principal)
        return principal

    return admit


def refuse_other_projects(principal: Principal) -> None:
    """Raises :class:`Forbidden` for a key of another project than the default one."""
    if principal.project is not None:
        raise Forbidden("this is shared by all projects: it is for keys of the default project")


async def principal_of(request: Request) -> Principal:
    """The principal of a request. Raises :class:`Unauthorized` if the service needs a key and there is no valid one."""
    known: Principal | None = getattr(request.state, "principal", None)
    if known is None:
        request.state.principal = known = await _identify(request)
    return known


async def _identify(request: Request) -> Principal:
    settings: Settings = request.state.settings
    if not settings.needs_keys:
        return KEYLESS
    key = read_key(request.scope)
    if key is None:
        raise Unauthorized(
            "this service asks for an API key: send it as Authorization: Bearer <key>, as /k/<key> before the "
            "path, or as ?key= (the client and `trueward` send what TRUEWARD_API_KEY holds)"
        )
    principal: Principal | None = await request.state.keys.principal(key)
    if principal is None:
        raise Unauthorized("this API key is unknown or revoked, or not copied whole")
    return principal


Scorer = Annotated[Principal, Depends(require("score"))]
Viewer = Annotated[Principal, Depends(require("view"))]
Labeller = Annotated[Principal, Depends(require("label"))]
Admin = Annotated[Principal, Depends(require("admin"))]
SharedViewer = Annotated[Principal, Depends(operating("view"))]
SharedScorer = Annotated[Principal, Depends(operating("score"))]
SharedAdmin = Annotated[Principal, Depends(operating("admin"))]
