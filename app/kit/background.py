"""Work that goes on beside the requests, from the service's start to its end."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import ClassVar, Self

import structlog

from app.kit.commits import Commits
from app.kit.db import Database

REFRESH_S = 2.0
_AGAIN_S = 1.0
log = structlog.get_logger(__name__)


class Trouble:
    """Says that work fails, once for each kind of failure in a row; the work is tried again and again."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._told: type[BaseException] | None = None

    def note_error(self, failure: BaseException) -> None:
        if type(failure) is not self._told:
            self._told = type(failure)
            log.error(self._words, error=failure)

    def over(self) -> None:
        """It went well."""
        self._told = None


class Background(ABC):
    """An async context manager: while it is open, its work goes on in a task of the name ``task``."""

    task: ClassVar[str]

    async def __aenter__(self) -> Self:
        self._running = asyncio.create_task(self._run(), name=self.task)
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.stop()

    @property
    def stopped(self) -> bool:
        return self._running.done()

    async def stop(self) -> None:
        """Ends the work; a second time does nothing."""
        while not self._running.done():
            # more than once: on Python 3.11 asyncio.wait_for loses a cancellation that comes as its wait ends
            self._running.cancel()
            await asyncio.wait([self._running], timeout=_AGAIN_S)
        with suppress(asyncio.CancelledError):
            self._running.result()

    @abstractmethod
    async def _run(self) -> None:
        """The work. It goes on until it is cancelled."""


class Refreshed(ABC):
    """What is kept in memory of a database that other servers write too: read on entering, and by a Refresher."""

    task: ClassVar[str]

    async def __aenter__(self) -> Self:
        await self.refresh()
        return self

    async def __aexit__(self, *failure: object) -> None:  # noqa: B027 - nothing of it has to end
        pass

    @abstractmethod
    async def refresh(self) -> None:
        """Takes in what is new."""


class Refresher(Background):
    """Refreshes what is kept of a database within two seconds of a commit, whoever made it.

    A database that has no stamp is read every two seconds.
    """

    task = "refresh"

    def __init__(self, db: Database, kept: Sequence[Refreshed]) -> None:
        self._commits = Commits(db)
        self._kept = {one: Trouble(f"{one.task} are not refreshed; trying again") for one in kept}

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(REFRESH_S)
            if self._commits.new() and await self._refresh():
                self._commits.settle()

    async def _refresh(self) -> bool:
        """Whether all of it is fresh."""
        fresh = True
        for one, trouble in self._kept.items():
            try:
                await one.refresh()
            except Exception as failure:  # noqa: BLE001 - what is known stays known while the database is down
                trouble.note_error(failure)
                fresh = False
            else:
                trouble.over()
        return fresh
