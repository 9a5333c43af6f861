"""What is checked of every request before a route is found for it: its host, its key's place, its text, its wait.

A request says where it comes from in its ``Host``, and in the ``Origin`` that browsers add. A keyless service on
loopback is one person's, whose browser is open to every page of the web. Such a page reaches this machine across sites,
with an ``Origin`` of its own, or under a name that it made resolve to this machine (DNS rebinding), which is then in
``Host``. So a keyless service on loopback answers under names that no page can have made its own: addresses,
``localhost`` and what is below it, this machine's own name, and those that a setting allows. Every route is held to
that, pages, files and addresses without a route included.

Headers that are no host, or there twice, are refused whoever asks: nobody may read them in another way than we do.

A key before the path (``/k/<key>/...``) is taken off it. NUL in the path or the query becomes U+FFFD: PostgreSQL
refuses it, also where it is only compared.

A native call that would wait for too long is refused from its head alone, before its body is read: under overload most
requests are such calls, and what each of them takes is taken from those that are answered. A call that is let in counts
as coming until it takes its turn (:mod:`app.admission.loop_queue`). Who asks without a valid key is told that, and not
how much there is to do.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from fastapi import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from app.admission.loop_queue import Announcement, LoopQueue
from app.http.route import TurnRoute
from app.keys.admission import principal_of
from app.kit import problems
from app.settings import Settings
from trueward.errors import AnsweredError, Forbidden, RequestRefused
from verifiers.legible import legible

_NAME = r"(?P<name>\[[0-9A-Za-z:.%_~-]*\][A-Za-z0-9._~!$&'()*+,;=%-]*|[A-Za-z0-9._~!$&'()*+,;=%-]*)"
_HOST = re.compile(_NAME + r"(:[0-9]{0,5})?")
_ORIGIN = re.compile(rf"[A-Za-z][A-Za-z0-9+.-]*://(?P<host>{_NAME}(:[0-9]{{0,5}})?)")
_SHOWN = 100
_NUL, _REPLACEMENT = b"%00", b"%EF%BF%BD"


class Entrance:
    """ASGI middleware. Of ``routes`` it guards those whose requests may be refused; ``count`` is told of refusals."""

    def __init__(
        self, app: ASGIApp, settings: Settings, routes: Iterable[BaseRoute], count: Callable[[int, str], None]
    ) -> None:
        self._app = app
        self._count = count
        self._guards = settings.on_loopback and not settings.needs_keys
        self._known = frozenset(name.lower() for name in (*settings.allowed_hosts, socket.gethostname()))
        turns = (route for route in routes if isinstance(route, TurnRoute))
        self._refusing = {route.path: route for route in turns if route.held_s is None}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        coming = None
        try:
            self._look(scope)
            if scope["path"].startswith("/k/"):
                _take_key_off(scope)
            if "\x00" in scope["path"] or _NUL in scope["query_string"]:
                query = scope["query_string"].replace(_NUL, _REPLACEMENT)
                scope = {**scope, "path": legible(scope["path"]), "query_string": query}
            route = self._refusing.get(scope["path"]) if scope["method"] == "POST" else None
            if route is not None:
                scope["state"]["coming"] = coming = await _announce(scope, route)
        except AnsweredError as refusal:
            answer = problems.report_problem(Request(scope), refusal, self._count)
            await answer(scope, receive, send)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            if coming is not None and "coming" in scope["state"]:  # its turn did not come
                scope["state"]["line"].withdraw(coming)

    def _look(self, scope: Scope) -> None:
        """Raises :class:`RequestRefused` for what cannot be read, :class:`Forbidden` for what comes from elsewhere."""
        hosts, origins = _values(scope, b"host"), _values(scope, b"origin")
        if len(hosts) > 1 or (not hosts and scope["http_version"] == "1.1"):
            raise _unreadable("host", f"a request has one Host, and this one has {len(hosts)}")
        if len(origins) > 1:
            raise _unreadable("origin", f"a request has at most one Origin, and this one has {len(origins)}")
        host = hosts[0] if hosts else ""
        name = _name(host)
        own = [_host_of(origin) for origin in origins]
        if self._guards:
            self._refuse_strangers(name, host, own)

    def _refuse_strangers(self, name: str, host: str, origins: Sequence[str | None]) -> None:
        if not (name in self._known or is_own(name)):
            raise Forbidden(
                f"this service asks for no key, so it answers to names of this machine alone, and {name[:_SHOWN]!r} is "
                f"none that it knows: call it by 127.0.0.1 or localhost, or add the name to TRUEWARD_ALLOWED_HOSTS "
                f"(a JSON list), or let it ask for keys (TRUEWARD_AUTH=keys)"
            )
        if any(origin != host.lower() for origin in origins):
            raise Forbidden("requests from web pages of other sites need a service with API keys (TRUEWARD_AUTH=keys)")


async def _announce(scope: Scope, route: TurnRoute) -> Announcement:
    """Says that a request to the route is coming. Raises what refuses it: a key that is none, or overload."""
    line: LoopQueue = scope["state"]["line"]
    try:
        principal = await principal_of(Request(scope))
        return line.announce(principal.project, route.path, _size(scope["headers"]))
    except AnsweredError:
        scope["route"] = route
        raise


def _size(headers: Iterable[tuple[bytes, bytes]]) -> int:
    """Bytes of the body, as its head says; 0 where it does not."""
    for name, value in headers:
        if name == b"content-length":
            return int(value) if value.isdigit() else 0
    return 0


def _take_key_off(scope: Scope) -> None:
    """In place: who observes the request reads its route there."""
    key, slash, rest = scope["path"][3:].partition("/")
    scope.update(path=slash + rest or "/", raw_path=(slash + rest).encode(), path_key=key)


@lru_cache(maxsize=256)
def is_own(name: str) -> bool:
    """Whether a name of a ``Host`` is an address, or one that stands for this machine wherever it is asked for."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    bracketed = name.startswith("[") and name.endswith("]")
    try:
        address = ipaddress.ip_address(name[1:-1] if bracketed else name)
    except ValueError:
        return False
    return bracketed == (address.version == 6)


@lru_cache(maxsize=256)
def _name(host: str) -> str:
    """The name in a ``Host``, in small letters; clients send the same again and again."""
    found = _HOST.fullmatch(host)
    if found is None:
        raise _unreadable(
            "host", f"{host[:_SHOWN]!r} is no host: it reads as in 127.0.0.1:8421, [::1]:8421 or name:8421"
        )
    return found["name"].lower().removesuffix(".")


@lru_cache(maxsize=256)
def _host_of(origin: str) -> str | None:
    """The host, with its port, of an ``Origin``; None of ``null``, which is nobody's."""
    if origin == "null":
        return None
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        raise _unreadable("origin", f"{origin[:_SHOWN]!r} is no origin: it reads as in http://127.0.0.1:8421")
    return found["host"].lower()


def _values(scope: Scope, header: bytes) -> list[str]:
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return [value.decode("latin-1") for name, value in headers if name == header]


def _unreadable(header: str, detail: str) -> RequestRefused:
    return RequestRefused.at_field(f"header.{header}", "malformed", detail)
