"""The time limit of one test: an alarm signal in the tests' own process, which the candidate cannot reach."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # past the enums of `signal`, which cost 0.1 ms
from collections.abc import Callable

from .flaws import Flaw, TimeLimit

_AGAIN_S = 0.1
"""The alarm repeats: a bare ``except`` of the test must not swallow it for good."""


class Clock:
    """Times one body after the other; ``flaw`` notes that one ran out of time, as it might swallow the exception."""

    def __init__(self, seconds: float, flaw: Callable[[Flaw], Flaw]) -> None:
        self._seconds = seconds
        self._flaw = flaw
        _signal.signal(_signal.SIGALRM, self._expire)

    def _expire(self, number: int, frame: object) -> None:
        raise self._flaw(TimeLimit(f"longer than {self._seconds:g} s"))

    def __enter__(self) -> None:
        _signal.setitimer(_signal.ITIMER_REAL, self._seconds, _AGAIN_S)

    def __exit__(self, *failure: object) -> None:
        """From here on the alarm is off. May raise TimeLimit itself, at the very last moment."""
        _disarm()


def _disarm() -> None:
    while True:
        try:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
        except TimeLimit:  # it went off just now
            continue
        return
