"""One model of one server, asked with one key: when the next request may be sent to it, and how it is doing.

::

            5 failures in a row                              an answer
    well -----------------------> down: one request a second ---------> well, with room for few at first
    any  ---- 401, 402 ---------> locked: one a minute ---- an answer -> well
    any  ---- Retry-After ------> resting: nobody asks ---- its end ---> as before

All who ask it wait here together, first come first served. What finds out whose doing a failure is goes first. Where
that is found out, a failure at the first question counts unless what is harmless is answered at once, one at a later
question never: the harmless one that follows tells (:mod:`judges.failure_verdicts`). Being slow or full is no failure.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from dataclasses import dataclass

from judges.base import KeyRefused, ModelBusy
from judges.probing import Purpose, current
from judges.remote.envelope import Allowance
from judges.remote.pace import Pace, Paid
from judges.remote.quarantine import Quarantine
from sandbox.remote.breaker import Breaker

MENDED_S = 60.0
"""Seconds after which a refused key is tried once more."""
_LET_PASS_S = 0.1
_HARMLESS = 3
"""So many harmless questions in a row, each answered at once, say that the server fails at others for their texts."""
_HARMLESS_S = 10.0
"""Seconds that they say so."""


def _time() -> float:
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class Weight:
    """What a request brings: characters to read, and the most tokens to write."""

    characters: int = 0
    written: int = 0


class Served:
    """``answers`` counts requests that were answered well; ``trouble`` says what it failed with last."""

    def __init__(self) -> None:
        self.breaker = Breaker(clock=_time)
        self.pace = Pace(_time)
        self.answers = 0
        self.trouble = ""
        self.quarantine = Quarantine(_time)
        self._line = asyncio.Lock()
        self._head = asyncio.Lock()
        self._harmless = 0
        self._harmless_at = -math.inf
        self._changed = asyncio.Event()
        self._refusal = ""
        self._try_key_at = -math.inf

    def state(self) -> str:
        """What keeps it from being asked, in words; empty where nothing does."""
        if self._refusal:
            return self._refusal
        if self.breaker.open:
            return f"down for {self.breaker.down_s:.0f} s, and tried again every few seconds; it said: {self.trouble}"
        return ""

    def pause(self) -> str:
        """That it asks to be left alone, and for how long; empty where it does not."""
        left_s = self.pace.paused_until - _time()
        return f"it asks to be left alone for {left_s:.0f} s more" if left_s > 0 else ""

    @property
    def selective(self) -> bool:
        """Whether it answers what is harmless and fails at other texts: then no failure of these says that it is down,
        else whoever writes many of them would keep it from being asked at all."""
        return self._harmless >= _HARMLESS and _time() < self._harmless_at + _HARMLESS_S

    async def enter(self, weight: Weight, deadline: float, *, at_once: bool = False) -> Paid:
        """Returns when a request may be sent, which then must end with one of the methods below.

        Raises :class:`judges.base.KeyRefused`, and :class:`judges.base.ModelBusy` where the server asks to be left
        alone until after ``deadline`` (the loop's time).
        """
        self._refuse(deadline)
        line = self._head if current().purpose.harmless else self._line
        async with contextlib.nullcontext() if at_once else line:
            while True:
                self._refuse(deadline)
                tokens = self.pace.estimate_tokens(weight.characters, weight.written)
                wait_s = max(0.0 if at_once else self.breaker.wait_s(), self.pace.wait_s(tokens))
                lets_pass = line is self._line and self._head.locked()
                if wait_s <= 0 and not lets_pass:
                    break
                await self._wait(max(wait_s, _LET_PASS_S) if lets_pass else wait_s)
            self._try_key_at = _time() + MENDED_S
            self.breaker.record_sent()
            self._changed.set()
            return self.pace.take(tokens, weight.characters)

    def record_answer(self, paid: Paid, read: int, written: int, told: dict[str, Allowance]) -> None:
        """``read`` and ``written`` are tokens, 0 where they are not told."""
        self.answers += 1
        self._refusal = ""
        self.pace.record_answer(paid, read, written)
        self.pace.learn(told)
        self._alive()

    def record_decline(self, paid: Paid, told: dict[str, Allowance]) -> None:
        """The server lives, and does not answer this."""
        self.pace.refund(paid)
        self.pace.learn(told)
        self._alive()

    def record_refusal(self, paid: Paid, wait_s: float | None, told: dict[str, Allowance]) -> None:
        """It was asked too much."""
        self.pace.learn(told)
        self.pace.record_refusal(paid, wait_s, told=bool(told))
        self._alive()

    def record_failure(self, paid: Paid, trouble: str, wait_s: float | None = None) -> None:
        """Evidence of death, but of a suspected question where it is only such that fail."""
        self.trouble = trouble
        self.pace.refund(paid)
        purpose = current().purpose
        if purpose in (Purpose.AGAIN, Purpose.TWIN) or (purpose is Purpose.FIRST and self.selective):
            self.breaker.record_abandoned()
        else:
            if wait_s is not None:
                self.pace.pause(wait_s)
            self.breaker.record_failure()
        self._changed.set()

    def record_harmless(self, *, answered: bool) -> None:
        """How it fared with one that waited for nothing but its turn: ``answered`` at once, or failed at."""
        if not answered:
            self.quarantine.record_loss()
        self._harmless, self._harmless_at = (self._harmless + 1 if answered else 0), _time()

    def record_bad_key(self, paid: Paid, refusal: str) -> None:
        """The key is of no use, or the account behind it empty."""
        self.pace.refund(paid)
        self._refusal, self._try_key_at = refusal, _time() + MENDED_S
        self._alive()

    def forgive(self) -> None:
        """Somebody says that the key is in order again: the next request finds out."""
        self._try_key_at = -math.inf

    def record_abandoned(self, paid: Paid) -> None:
        """Nobody waits for the answer any more."""
        self.pace.record_abandoned(paid)
        self.breaker.record_abandoned()
        self._changed.set()

    def _alive(self) -> None:
        self.breaker.record_answer()
        self._changed.set()

    def _refuse(self, deadline: float) -> None:
        if self._refusal and _time() < self._try_key_at:
            raise KeyRefused(self._refusal)
        if self.pace.paused_until > max(deadline, _time()):
            raise ModelBusy(self.pause())

    async def _wait(self, wait_s: float) -> None:
        """For so long, or until something has changed."""
        self._changed.clear()
        try:
            async with asyncio.timeout(wait_s):
                await self._changed.wait()
        except TimeoutError:
            return
