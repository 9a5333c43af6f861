"""Checks that another replica has done, or is about to do.

A check is known by its verifier's name, version and parameters, and by what is checked. The first replica that has to
do it says so; others wait for its verdict, and do it themselves where there comes none that may be kept, or where that
replica dies. Verdicts are sealed, and read as if a stranger had written them.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Literal

from app.replicas.errors import Away
from app.replicas.link import RedisLink
from app.replicas.replica_lock import ReplicaLock
from trueward.authoring.verifier import Task
from trueward.wire.verdict import Verdict

_KEPT_S = 3600.0
_LONGEST_BYTES = 2**16
_LATE_S = 1.0

CheckKey = tuple[str, str, str, Task]
Found = Literal["known", "judged", "refused", "alone"]


class SharedChecks:
    """``found`` counts checks by what became of them: ``known`` from another replica, ``judged`` here; ``refused``
    was what Redis had, for it is no verdict of ours; ``alone``: Redis did not answer."""

    def __init__(self, link: RedisLink) -> None:
        self._link = link
        self._turns = ReplicaLock(link)
        self.found: Counter[Found] = Counter()

    async def judge_once(
        self,
        key: CheckKey,
        judge: Callable[[], Awaitable[Verdict]],
        keeps: Callable[[Verdict], bool],
        deadline: float,
    ) -> Verdict:
        """Another replica's verdict, or what ``judge`` says; others are waited for until ``deadline`` (loop time)."""
        place = self._place(key)
        if place is None:
            return await judge()
        mine = self._turns.new()
        longest_s = deadline - asyncio.get_running_loop().time() + _LATE_S
        try:
            async with asyncio.timeout_at(deadline):
                said = await self._turns.wait(place, mine, longest_s)
        except TimeoutError:
            self._turns.give_back(place, mine)  # it may have become ours as the time ended
            return Verdict.timeout("deadline", "the deadline passed before this sample was judged")
        except Away:
            self.found["alone"] += 1
            return await judge()
        except BaseException:  # cancelled, and raised again: the turn may have become ours as that came
            self._turns.give_back(place, mine)
            raise
        known = self._read(key, place, said) if said is not None else None
        if known is not None and keeps(known):
            self.found["known"] += 1
            return known
        self.found["judged" if said is None else "refused"] += 1
        text = None
        try:
            verdict = await judge()
            if keeps(verdict):
                text = self._written(place, verdict)
        finally:
            if text is None:
                self._turns.give_back(place, mine)
            else:
                self._turns.leave(place, text, _KEPT_S)
        return verdict

    def _place(self, key: CheckKey) -> str | None:
        """None where the task is no plain value, which another replica might name otherwise."""
        try:
            named = json.dumps(key, default=_plain)
        except (TypeError, ValueError, RecursionError):
            return None
        return self._link.key("check", hashlib.blake2b(named.encode(), digest_size=20).hexdigest())

    def _written(self, place: str, verdict: Verdict) -> bytes | None:
        try:
            text = verdict.model_dump_json().encode()
        except ValueError:  # text that no store takes
            return None
        return self._link.seal.close(place, text) if len(text) <= _LONGEST_BYTES else None

    def _read(self, key: CheckKey, place: str, said: bytes) -> Verdict | None:
        text = self._link.seal.open(place, said)
        if text is None:
            return None
        try:
            verdict = Verdict.model_validate_json(text)
        except ValueError:  # another version of the service wrote it
            return None
        producer = verdict.producer
        if producer is None or (producer.name, producer.version, producer.params) != key[:3]:
            return None
        return verdict.model_copy(update={"cached": True})


def _plain(value: object) -> object:
    """A value of a task by its type and what it holds. Raises TypeError."""
    if isinstance(value, Fraction):
        return {"Fraction": str(value)}
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__qualname__: [getattr(value, field.name) for field in fields(value)]}
    raise TypeError(f"{type(value).__name__} has no plain form")
