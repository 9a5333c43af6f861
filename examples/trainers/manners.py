"""How a trainer's HTTP client behaves, as far as a server can tell: what it waits for, and what it sends again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx2

Json = Any
"""What a foreign server answers: its shape is what the example is about."""


class GaveUp(Exception):
    """The trainer's client would fail here: the run ends, or its caller takes a number of its own."""


@dataclass(frozen=True, slots=True)
class Manners:
    """``timeout_s`` None: it waits for ever. ``again``: statuses that are tried again; ``lost``: so are connections
    that fail. ``keep_alive`` is false where each request has a connection of its own."""

    timeout_s: float | None
    tries: int = 1
    pause_s: Callable[[int], float] = lambda tried: 1.0
    again: Callable[[int], bool] = lambda status: False
    lost: bool = True
    keep_alive: bool = True
    headers: Mapping[str, str] = field(default_factory=dict)


class Line:
    """One client of a trainer: its connections, and its patience. ``again`` counts what it had to send once more."""

    def __init__(self, manners: Manners) -> None:
        self.manners = manners
        self.again = 0
        kept = None if manners.keep_alive else 0
        self._http = httpx2.AsyncClient(
            timeout=manners.timeout_s,
            headers=dict(manners.headers),
            limits=httpx2.Limits(max_connections=64, max_keepalive_connections=kept),
            trust_env=False,
        )

    async def __aenter__(self) -> Line:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._http.aclose()

    async def post(self, url: str, body: Json) -> Json:
        return await self.send("POST", url, body)

    async def send(self, method: str, url: str, body: Json) -> Json:
        """The answer's JSON. Raises :class:`GaveUp` where the trainer's client would."""
        manners, word = self.manners, ""
        for tried in range(1, manners.tries + 1):
            if tried > 1:
                self.again += 1
                await asyncio.sleep(manners.pause_s(tried - 1))
            try:
                answer = await self._http.request(method, url, json=body)
            except httpx2.TransportError as lost:
                word = repr(lost)
                if not manners.lost:
                    break
                continue
            if answer.status_code == 200:
                return answer.json()
            word = f"{answer.status_code}: {answer.text[:200]}"
            if not manners.again(answer.status_code):
                break
        raise GaveUp(word)
