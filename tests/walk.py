"""The functions of ours that a request passes through, in the order of their first call.

A service runs in this process, and the interpreter tells of each call. Noted are functions that others may call, by
their dotted names: those of ``app``, and those below that ``app`` calls itself. What else the service does meanwhile
is left out: only tasks that the request started count, and those of the service that are asked for by name.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from pkgutil import resolve_name
from types import FrameType

import httpx2
from starlette.types import Receive, Scope, Send

from app.main import create_app
from app.settings import Settings

OURS = ("app", "judges", "rewards", "sandbox", "trueward", "verifiers")
TOOLS = (
    "app.telemetry.counters",
    "app.kit.clock",
    "app.kit.durations",
    "app.kit.pace",
    "app.kit.tokens",
    "app.telemetry.logging",
    "app.telemetry.metrics",
    "app.kit.cache",
    "app.tables",
    "app.telemetry.tracing",
)
"""Modules that everything uses, and that no sample passes through."""

_walking: ContextVar[bool] = ContextVar("walking", default=False)


@asynccontextmanager
async def service(data_dir: Path) -> AsyncIterator[httpx2.AsyncClient]:
    """The whole service in this process, on a database of its own, with a client of it."""
    app = create_app(Settings(data_dir=data_dir, workers=1))
    async with app.router.lifespan_context(app) as state:

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            # as the connection notes it
            arrived = asyncio.get_running_loop().time()
            await app({**scope, "state": {**(state or {}), "arrived": arrived}}, receive, send)

        transport = httpx2.ASGITransport(app=answer)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            yield http


@contextmanager
def walked(tasks: Collection[str] = ()) -> Iterator[list[str]]:
    """Notes the calls of what is started in the block or, where tasks are named, those of these tasks alone."""
    names: dict[str, None] = {}
    found: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and (name := _name(frame)) is not None and _counts(tasks):
            names.setdefault(name)

    token = _walking.set(True)
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        _walking.reset(token)
        found += [name for name in names if not isinstance(resolve_name(name), (property, cached_property))]


async def at_rest(task: str) -> None:
    """Waits until the service's task of this name waits for something to do: what it is in the middle of is not noted.

    Such a task waits in its own function, and for an event; in the middle of its work it waits deeper.
    """
    (found,) = (one for one in asyncio.all_tasks() if one.get_name() == task)
    while not _rests(found.get_coro()):
        await asyncio.sleep(0.005)


def _rests(work: object) -> bool:
    awaited = getattr(work, "cr_await", None)
    return getattr(awaited, "__qualname__", "") == asyncio.Event.wait.__qualname__


def _counts(tasks: Collection[str]) -> bool:
    if not tasks:
        return _walking.get()
    try:
        task = asyncio.current_task()
    except RuntimeError:
        return False
    return task is not None and task.get_name() in tasks


def _name(frame: FrameType) -> str | None:
    """The function's dotted name; None where it is not ours, or nothing that others call."""
    module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
    private = any(part.startswith(("_", "<")) and part != "__call__" for part in name.split("."))
    if private or module.partition(".")[0] not in OURS or module.startswith(TOOLS):
        return None
    caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back is not None else ""
    return f"{module}.{name}" if "app" in (module.partition(".")[0], caller.partition(".")[0]) else None
