"""Room for questions that a server failed at: few at a time, so that who is lost with another is not blamed for it."""

from __future__ import annotations

import asyncio
from functools import partial

from judges.probing import Turn

_MOST = 64


class Quarantine:
    """One turn at a time at first; one more after each in which the server stayed; one again where it was lost."""

    def __init__(self) -> None:
        self._room = 1
        self._inside: list[Turn] = []
        self._waiting: list[asyncio.Future[None]] = []

    async def enter(self, turn: Turn) -> None:
        """Returns when there is room for the turn, which then has its place to its end."""
        while turn not in self._inside and not self._has_room(turn):
            changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(changed)
            await changed
        if turn in self._inside:
            return
        self._inside.append(turn)
        turn.at_end.append(partial(self._leave, turn))
        for one in self._inside:
            one.crowded |= len(self._inside) > 1
        self._change()

    def _has_room(self, turn: Turn) -> bool:
        if not self._inside:
            return True
        return not turn.alone and not self._inside[0].alone and len(self._inside) < self._room

    def _leave(self, turn: Turn) -> None:
        self._inside.remove(turn)
        self._room = 1 if turn.lost else min(_MOST, self._room + 1)
        self._change()

    def _change(self) -> None:
        """Those that wait look again, in their order."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)
