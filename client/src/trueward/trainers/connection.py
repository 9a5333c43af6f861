"""What every plug-in holds: a service, a recipe and a run, asked from whatever process and event loop it is in.

A connection can be pickled, at every call too, and survives a fork. What it has open and what it knows live in the
process, under the service's URL, the recipe and the run: a copy finds there what the one before left. Clients that
await belong to the event loop in which they were made. A call that blocks the loop on which it is made works, for a
notebook has one: it waits for no other call, and the log says once that everything else waits for it. A service that
does not answer within ``deadline_s`` raises :mod:`trueward.errors`, because no reward may be invented; until then a
call waits and tries again.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict, Unpack
from weakref import WeakKeyDictionary

from pydantic import JsonValue

from trueward.trainers.answers import Answers
from trueward.trainers.missing import Missing, log
from trueward.trainers.standing_in import Means
from trueward.wire.reward import Reward
from trueward.wire.sample import Split

if TYPE_CHECKING:
    from trueward.client import AsyncClient, Client

Recipe = str | Mapping[str, JsonValue]
Fields = dict[str, JsonValue]
"""The fields of one sample."""

DEADLINE_S = 120.0
_KEPT_ALIVE = 64
"""Connections that a process keeps open: trainers that await ask one sample at a time, many at once."""

THREADS = min(32, (os.cpu_count() or 1) + 4)
"""Of asyncio's own pool, from which some trainers call: so many calls are under way at once."""

_opening = threading.Lock()


@dataclass(slots=True)
class Live:
    """What a process has of one service, recipe and run; ``answers`` are for callers that try again on their own."""

    missing: Missing
    answers: Answers = field(default_factory=Answers)
    means: Means = field(default_factory=Means)
    client: Client | None = None
    awaiting: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient] = field(default_factory=WeakKeyDictionary)
    is_told: bool = False


_live: dict[tuple[str | None, ...], Live] = {}


def _forget() -> None:
    """In a fork, without closing: what a parent opened is the parent's."""
    global _opening
    _opening = threading.Lock()
    _live.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class Options(TypedDict, total=False):
    """What every plug-in takes beside the service's URL and the recipe.

    ``api_key`` defaults to ``TRUEWARD_API_KEY``; ``run`` names the training run in the service's ledger; ``deadline_s``
    is how long one call may take, outages included. ``logprobs`` sends the log-probabilities of the response's tokens
    where the trainer tells them, for recipes that read them (``unlikeliness``); they are stored with each sample.
    ``group_size``: how many responses the trainer draws for a prompt, where it asks for them one by one; by default the
    recipe's ``group.size``.
    """

    api_key: str | None
    run: str | None
    deadline_s: float
    logprobs: bool
    group_size: int | None


class Connection:
    """Without a ``run`` it is a new name that begins with ``trainer``; ``url`` defaults to ``TRUEWARD_URL``.

    ``at_once``: calls that the trainer can have under way.
    """

    def __init__(
        self, url: str | None, recipe: Recipe, trainer: str, *, at_once: int = _KEPT_ALIVE, **options: Unpack[Options]
    ) -> None:
        named_run = options.get("run")
        self.run = named_run or f"{trainer}-{uuid.uuid4().hex[:12]}"
        if not named_run:
            log.warning("trueward: no run was named, so its rewards are recorded as run %s", self.run)
        self._url = url
        self._recipe = recipe
        self._api_key = options.get("api_key")
        self.sends_logprobs = options.get("logprobs", False)
        self._deadline_s = options.get("deadline_s", DEADLINE_S)
        size = options.get("group_size")
        self._gather: Mapping[str, int] = {"at_once": at_once, **({} if size is None else {"size": size})}
        named = recipe if isinstance(recipe, str) else json.dumps(recipe, sort_keys=True)
        self._key = (url, named, self.run, self._api_key)

    @property
    def name(self) -> str:
        """``trueward_`` and the recipe's name: what trainers log by."""
        name = self._recipe if isinstance(self._recipe, str) else self._recipe.get("name", "inline")
        return f"trueward_{name}"

    @property
    def live(self) -> Live:
        """What this process has of it."""
        with _opening:
            return self._find_live()

    @property
    def means(self) -> Means:
        return self.live.means

    def rewards(
        self, samples: Sequence[Fields], *, step: int | None = None, split: Split = "train", apart: bool = False
    ) -> list[Reward]:
        """One reward a sample, in order; ``apart`` where the others of a group come in calls of their own."""
        # on an event loop that it blocks no other call can be under way: waiting for one would be in vain
        alone = {"at_once": 1} if self._blocks_a_loop() else {}
        answer = self.blocking().reward(
            samples,
            recipe=self._recipe,
            deadline_s=self._deadline_s,
            run=self.run,
            step=step,
            split=split,
            gather={**self._gather, **alone} if apart else None,
        )
        self.live.missing.tell(answer.rewards)
        return answer.rewards

    async def await_rewards(
        self, samples: Sequence[Fields], *, step: int | None = None, split: Split = "train", apart: bool = False
    ) -> list[Reward]:
        """:meth:`rewards` for asyncio."""
        answer = await self.awaiting().reward(
            samples,
            recipe=self._recipe,
            deadline_s=self._deadline_s,
            run=self.run,
            step=step,
            split=split,
            gather=self._gather if apart else None,
        )
        self.live.missing.tell(answer.rewards)
        return answer.rewards

    def blocking(self) -> Client:
        """This process's client."""
        from trueward.client import Client

        with _opening:
            live = self._find_live()
            if live.client is None:
                live.client = Client(self._url, api_key=self._api_key, concurrency=_KEPT_ALIVE)
            return live.client

    def awaiting(self) -> AsyncClient:
        """The client of the running event loop."""
        from trueward.client import AsyncClient

        loop = asyncio.get_running_loop()
        with _opening:
            live = self._find_live()
            if loop not in live.awaiting:
                live.awaiting[loop] = AsyncClient(self._url, api_key=self._api_key, concurrency=_KEPT_ALIVE)
            return live.awaiting[loop]

    def close(self) -> None:
        """Closes this process's blocking client; the next call opens a new one."""
        with _opening:
            live = self._find_live()
            client, live.client = live.client, None
        if client is not None:
            client.close()

    async def aclose(self) -> None:
        """Closes the client of the running event loop; to be awaited before a loop ends."""
        client = self.live.awaiting.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    def _blocks_a_loop(self) -> bool:
        """Whether a blocking call is made on an event loop; in a notebook's, nothing else waits for it."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return False
        live = self.live
        if not live.is_told and "ipykernel" not in sys.modules:
            live.is_told = True
            log.warning(
                "trueward: run %s, a call that blocks is made on an event loop, and all else there waits for it: "
                "take the form of the plug-in that awaits, or let the trainer call it in threads",
                self.run,
            )
        return True

    def _find_live(self) -> Live:
        live = _live.get(self._key)
        if live is None:
            live = _live[self._key] = Live(Missing(self.run))
        return live
