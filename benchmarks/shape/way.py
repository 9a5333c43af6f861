"""How many files of ours a request enters, and how often it goes from one to another.

The service runs in the process that is traced, on a database of its own, with one worker. The interpreter tells of
each call that the request, or a task that it started, makes (:func:`sys.setprofile`); a coroutine that goes on counts
as a call. A hop is a call in another file than the call before. Requests come after others of their kind, and the least
of several counts, as the loop gives way more often on a busy machine.

``python -m benchmarks.shape.way`` prints the ways as JSON.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import httpx2

from benchmarks.shape.sources import BESIDE, FOLDERS, ROOT

_BEFORE, _TRACED = 3, 7
_FOLDERS = tuple(f"{ROOT / folder}/" for name, folder in FOLDERS.items() if name not in BESIDE)
_traced: ContextVar[bool] = ContextVar("traced", default=False)

Ask = Callable[[httpx2.AsyncClient, int], Awaitable[httpx2.Response]]


@dataclass(frozen=True, slots=True)
class Way:
    """Of one request: the files that it enters, its hops, and all calls of ours."""

    request: str
    files: int
    hops: int
    calls: int

    @classmethod
    def of(cls, request: str, calls: Sequence[str]) -> Way:
        """``calls``: the file of each call, in order."""
        hops = sum(one != other for one, other in pairwise(calls))
        return cls(request, len(set(calls)), hops, len(calls))


def ways() -> list[Way]:
    """Of three requests, in a process of their own."""
    command = [sys.executable, "-m", "benchmarks.shape.way"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    return [Way(**one) for one in json.loads(shown.stdout)]


def _sample(answer: int) -> dict[str, str]:
    return {"prompt": "What is it?", "response": f"It is \\boxed{{{answer}/7}}", "reference": "\\frac56"}


async def _rewards(http: httpx2.AsyncClient, answer: int) -> httpx2.Response:
    return await http.post("/v1/rewards", json={"recipe": "math", "samples": [_sample(answer)]})


async def _verify(http: httpx2.AsyncClient, answer: int) -> httpx2.Response:
    return await http.post("/v1/verify", json={"verifier": "math", "samples": [_sample(answer)]})


async def _openrlhf(http: httpx2.AsyncClient, answer: int) -> httpx2.Response:
    body = {"query": ["What? \\boxed{1/7}"], "prompts": ["What?"], "labels": ["1/3"]}
    return await http.post("/t/math/openrlhf", json=body)


REQUESTS: dict[str, Ask] = {
    "/v1/rewards, one fresh answer": _rewards,
    "/v1/verify, one fresh answer": _verify,
    "OpenRLHF, one answer that was judged before": _openrlhf,
}


async def calls_of(ask: Awaitable[object]) -> list[str]:
    """The file of each call of ours while something is awaited."""
    found: list[str] = []

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_FOLDERS) and _traced.get():
            found.append(frame.f_code.co_filename)

    token = _traced.set(True)
    sys.setprofile(note)
    try:
        await ask
    finally:
        sys.setprofile(None)
        _traced.reset(token)
    return found


async def _measure(data_dir: Path) -> list[Way]:
    from app.main import create_app
    from app.settings import Settings

    app = create_app(Settings(data_dir=data_dir, workers=1))
    found = []
    async with app.router.lifespan_context(app) as state:

        async def answer(scope: dict[str, object], receive: object, send: object) -> None:
            arrived = asyncio.get_running_loop().time()  # as the connection notes it
            await app({**scope, "state": {**(state or {}), "arrived": arrived}}, receive, send)  # type: ignore[arg-type]

        transport = httpx2.ASGITransport(app=answer)  # type: ignore[arg-type]
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            for name, ask in REQUESTS.items():
                for number in range(_BEFORE):
                    (await ask(http, number)).raise_for_status()
                traced = [Way.of(name, await calls_of(ask(http, _BEFORE + number))) for number in range(_TRACED)]
                found.append(min(traced, key=lambda way: way.hops))
    return found


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        print(json.dumps([asdict(way) for way in asyncio.run(_measure(Path(folder)))]))
