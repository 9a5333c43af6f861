"""The time that one call of the client may take in all: its chunks, their tries and the waits between."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from math import inf

import httpx2

from trueward.client import outage
from trueward.client.call import RetryableFailure
from trueward.errors import DeadlineExceeded, TruewardError

CONNECT_TIMEOUT_S = 10.0
READ_TIMEOUT_S = 300.0
MAX_BACKOFF_S = 5.0
_TOO_LITTLE_S = 0.02


class Deadline:
    """``seconds`` from now, or None: then a try may be silent for ``silence_s`` and tries are counted instead.

    Shared by the threads or tasks of one call; :meth:`stop` ends the tries of all of them.
    """

    def __init__(self, seconds: float | None, url: str, silence_s: float = READ_TIMEOUT_S) -> None:
        self._seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds
        self._url = url
        self._silence_s = silence_s
        self._stopped = False
        self._last: TruewardError | None = None

    @property
    def remaining_s(self) -> float | None:
        return None if self._end is None else self._end - time.monotonic()

    def stop(self) -> None:
        self._stopped = True

    def check(self) -> None:
        """Raises :class:`DeadlineExceeded` once the time is over."""
        remaining_s = self.remaining_s
        if remaining_s is not None and remaining_s <= 0:
            raise self._exceeded()

    def timeout(self) -> httpx2.Timeout:
        """Limits of one try, so that no single silence outlasts the deadline."""
        self.check()
        remaining_s = self.remaining_s
        if remaining_s is None:
            return httpx2.Timeout(self._silence_s, connect=min(self._silence_s, CONNECT_TIMEOUT_S))
        return httpx2.Timeout(remaining_s, connect=min(remaining_s, CONNECT_TIMEOUT_S))

    def backoff(self, tries: float = inf) -> Callable[[Exception], bool | float]:
        """What stamina asks after each failure of one request: give up, wait as usual, or wait this many seconds.

        Without a deadline there are so many ``tries``, with one as many as the time allows.
        """
        failures = count(1)

        def ask(failure: Exception) -> bool | float:
            if not isinstance(failure, RetryableFailure):
                return False
            self._last = failure.error
            is_last = next(failures) >= tries and self._end is None
            wait = False if is_last else self._wait(failure)
            if wait is not False:
                outage.say(self._url, failure.error.detail, self.remaining_s)
            return wait

        return ask

    def _wait(self, failure: RetryableFailure) -> bool | float:
        if self._stopped:
            return False
        remaining_s = self.remaining_s
        if remaining_s is None:
            return True if failure.wait_s is None else failure.wait_s
        if failure.wait_s is not None:
            return failure.wait_s if failure.wait_s < remaining_s else False
        if remaining_s > 2 * MAX_BACKOFF_S:
            return True
        return remaining_s / 4 if remaining_s > _TOO_LITTLE_S else False

    def final(self, last: RetryableFailure) -> TruewardError:
        """The error to raise when there is no further try."""
        return last.error if self._end is None or self._stopped else self._exceeded()

    def _exceeded(self) -> DeadlineExceeded:
        why = f"; the last try: {self._last.detail}" if self._last else ""
        return DeadlineExceeded(f"no answer from {self._url} within {self._seconds:g} s{why}")
