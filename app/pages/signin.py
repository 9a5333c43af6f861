"""Signing in with an API key, and out again. The key is looked up once; the browser keeps a token, not the key."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Response
from pydantic import Field

from app.pages.registry import FIRST, home
from app.pages.session import COOKIE
from app.pages.visit import Visit, visitor
from app.settings import Settings
from trueward.errors import Unauthorized
from trueward.wire.base import Wire

router = APIRouter(prefix="/ui", include_in_schema=False)
Passing = Annotated[Visit, Depends(visitor(None))]


class SignInView(Wire):
    """``next`` is the page to go on to."""

    next: str = FIRST
    problem: str = ""
    reload: bool = Field(default=False, description="a link of another site: the browser held the cookie back")


class SignIn(Wire):
    key: str = Field(max_length=300)
    next: str = Field(default=FIRST, max_length=4000)


@router.get("/sign-in")
async def ask(visit: Passing) -> Response:
    """The form; nobody needs it where the service asks for no keys."""
    return visit.go(FIRST) if visit.keyless else visit.show("signin.html", SignInView())


@router.post("/sign-in")
async def sign_in(visit: Passing) -> Response:
    """Begins a session where the key is one, and goes on to the page that was asked for, or the first that it opens."""
    given = visit.form(SignIn)
    settings: Settings = visit.request.state.settings
    if not settings.needs_keys:
        return visit.go(FIRST)
    target = own_page(given.next)
    problem = "This API key is unknown or revoked, or not copied whole."
    try:
        principal = await visit.request.state.keys.principal(given.key.strip())
    except Unauthorized as expired:
        principal, problem = None, expired.detail
    if principal is None:
        view = SignInView(next=target, problem=problem)
        return visit.show("signin.html", view, status=401)
    sessions = visit.request.state.sessions
    response = visit.go(home(principal) if target == FIRST else target)
    sessions.keep(response, visit.request, COOKIE, sessions.begin(principal.owner))
    return response


@router.post("/sign-out")
async def sign_out(visit: Passing) -> Response:
    """Takes the session from the browser, and ends what is streamed to it."""
    visit.request.state.pulse.leave(visit.request.cookies.get(COOKIE, ""))
    response = visit.go("/ui/sign-in")
    visit.request.state.sessions.forget(response, visit.request)
    return response


def own_page(path: str) -> str:
    """A path of the pages, or the first page: never a way to another site."""
    plain = path.isascii() and path.isprintable() and not set(path) & set('\\"<> ')
    return path if plain and path.startswith("/ui/") and not path.startswith("/ui/sign-") else FIRST
