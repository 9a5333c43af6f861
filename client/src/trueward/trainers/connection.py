"""What every plug-in holds: a service, a recipe and a run, asked from whatever process and event loop it is in.

A connection can be pickled and survives a fork: clients belong to the process, and those that await to the event
loop, in which they were made; elsewhere new ones are opened. A service that does not answer within ``deadline_s``
raises :mod:`trueward.errors`, because no reward may be invented; until then a call waits and tries again.
"""

from __future__ import annotations

import asyncio
import os
import threading
import uuid
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from trueward.trainers.missing import Missing
from trueward.types import Reward, Split

if TYPE_CHECKING:
    from trueward.client import AsyncClient, Client

Recipe = str | Mapping[str, JsonValue]
Fields = dict[str, JsonValue]
"""The fields of one sample."""

DEADLINE_S = 120.0
_KEPT_ALIVE = 64
"""Connections that a process keeps open: trainers that await ask one sample at a time, many at once."""

_opening = threading.Lock()


class Options(TypedDict, total=False):
    """What every plug-in takes beside the service's URL and the recipe.

    ``api_key`` defaults to ``TRUEWARD_API_KEY``; ``run`` names the training run in the service's ledger; ``deadline_s``
    is how long one call may take, outages included. ``logprobs`` sends the log-probabilities of the response's tokens
    where the trainer tells them, for recipes that read them (``unlikeliness``); they are stored with each sample.
    """

    api_key: str | None
    run: str | None
    deadline_s: float
    logprobs: bool


class Connection:
    """Without a ``run`` it is a new name that begins with ``trainer``; ``url`` defaults to ``TRUEWARD_URL``."""

    _process: int
    _client: Client | None
    _awaiting: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient]

    def __init__(self, url: str | None, recipe: Recipe, trainer: str, **options: Unpack[Options]) -> None:
        self.run = options.get("run") or f"{trainer}-{uuid.uuid4().hex[:12]}"
        self._url = url
        self._recipe = recipe
        self._api_key = options.get("api_key")
        self.sends_logprobs = options.get("logprobs", False)
        self._deadline_s = options.get("deadline_s", DEADLINE_S)
        self._missing = Missing(self.run)
        self._forget()

    def __getstate__(self) -> dict[str, object]:
        clients = ("_client", "_awaiting", "_process")
        return {name: value for name, value in self.__dict__.items() if name not in clients}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()

    @property
    def name(self) -> str:
        """``trueward_`` and the recipe's name: what trainers log by."""
        name = self._recipe if isinstance(self._recipe, str) else self._recipe.get("name", "inline")
        return f"trueward_{name}"

    def rewards(self, samples: Sequence[Fields], *, step: int | None = None, split: Split = "train") -> list[Reward]:
        """One reward a sample, in order."""
        answer = self.blocking().reward(
            samples, recipe=self._recipe, deadline_s=self._deadline_s, run=self.run, step=step, split=split
        )
        self._missing.tell(answer.rewards)
        return answer.rewards

    async def awaited(
        self, samples: Sequence[Fields], *, step: int | None = None, split: Split = "train"
    ) -> list[Reward]:
        """:meth:`rewards` for asyncio."""
        answer = await self.awaiting().reward(
            samples, recipe=self._recipe, deadline_s=self._deadline_s, run=self.run, step=step, split=split
        )
        self._missing.tell(answer.rewards)
        return answer.rewards

    def blocking(self) -> Client:
        """This process's client."""
        from trueward.client import Client

        with _opening:
            self._forget_if_forked()
            if self._client is None:
                self._client = Client(self._url, api_key=self._api_key, concurrency=_KEPT_ALIVE)
            return self._client

    def awaiting(self) -> AsyncClient:
        """The client of the running event loop."""
        from trueward.client import AsyncClient

        loop = asyncio.get_running_loop()
        with _opening:
            self._forget_if_forked()
            if loop not in self._awaiting:
                self._awaiting[loop] = AsyncClient(self._url, api_key=self._api_key, concurrency=_KEPT_ALIVE)
            return self._awaiting[loop]

    def close(self) -> None:
        """Closes this process's blocking client; the next call opens a new one."""
        with _opening:
            self._forget_if_forked()
            client, self._client = self._client, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Closes the client of the running event loop; to be awaited before a loop ends."""
        client = self._awaiting.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _forget_if_forked(self) -> None:
        if self._process != os.getpid():
            self._forget()

    def _forget(self) -> None:
        """Without closing: what a parent opened is the parent's."""
        self._process = os.getpid()
        self._client = None
        self._awaiting = WeakKeyDictionary()
