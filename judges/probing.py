"""Why a question is asked, and therefore how: for its own sake, or to find out whose doing a failure is.

=======  ================================================  ========  ===============================  ======
purpose  what is asked                                     harmless  given up after failures          shared
=======  ================================================  ========  ===============================  ======
PLAIN    what nobody finds out about                       no        never: it waits for the server   always
FIRST    about a response, which is tried if that fails    no        2, or 1 where the server is down always
AGAIN    the same once more, in a turn                     no        2                                always
PROBE    about a harmless response                         yes       never                            20 s
CONTROL  the same, after another response failed           yes       never                            never
TWIN     the same, to fare as one asked again does         yes       2                                never
=======  ================================================  ========  ===============================  ======

What is asked to find out how a model is doing needs an answer of now. A model that answered a harmless question once,
and since then fails at everything, would put the blame on whichever response is judged: therefore the last column.

A :class:`Turn` is a question asked again and the control that follows where it fails. Few have their turn at once
(:mod:`judges.remote.quarantine`): of several that a server is lost with, any may have taken it down.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from itertools import count

FRESH_S = 20.0
MOST_TURNS = 64
_SMALLER = 16


class Purpose(Enum):
    """``tries`` are the failures after which a question is given up, ``tries_down`` those where the server is down."""

    PLAIN = (1, False, math.inf, math.inf)
    FIRST = (2, False, 2, 1)
    AGAIN = (3, False, 2, 2)
    PROBE = (4, True, math.inf, math.inf)
    CONTROL = (5, True, math.inf, math.inf)
    TWIN = (6, True, 2, 2)

    def __init__(self, place: int, harmless: bool, tries: float, tries_down: float) -> None:
        self.harmless = harmless
        self.tries = tries
        self.tries_down = tries_down


@dataclass(slots=True, eq=False)
class Turn:
    """``most`` turns may go on at once, this one among them; ``crowd`` is how many did. ``lost``: the server failed at
    something harmless, too. ``at_end`` gives its places back."""

    most: int = MOST_TURNS
    crowd: int = 1
    lost: bool = False
    at_end: list[Callable[[], None]] = field(default_factory=list)

    @property
    def tells(self) -> bool:
        """Whether a failure in it is that of what was asked, and not of what another asked meanwhile."""
        return self.crowd == 1 or not self.lost

    def again(self) -> Turn:
        """The next one about the same, with fewer others where the server was lost."""
        return Turn(max(1, self.crowd // _SMALLER)) if self.lost else Turn()

    def __enter__(self) -> Turn:
        return self

    def __exit__(self, *_: object) -> None:
        for end in self.at_end:
            end()


@dataclass(frozen=True, slots=True)
class Asking:
    purpose: Purpose = Purpose.PLAIN
    turn: Turn | None = None


_PLAIN = Asking()
_asking: ContextVar[Asking] = ContextVar("asking", default=_PLAIN)
_numbers = count(1)


@contextmanager
def asking(purpose: Purpose, turn: Turn | None = None) -> Iterator[None]:
    """For what is asked within, and in tasks that are started within. Within a harmless one all is as that is."""
    token = _asking.set(_asking.get() if is_probing() else Asking(purpose, turn))
    try:
        yield
    finally:
        _asking.reset(token)


def current() -> Asking:
    return _asking.get()


def is_probing() -> bool:
    return _asking.get().purpose.harmless


def epoch() -> int:
    """Answers of the same epoch may be shared: 0 for ever, but for what is asked of harmless responses."""
    if not is_probing():
        return 0
    return 1 + int(time.monotonic() // FRESH_S) if _asking.get().purpose is Purpose.PROBE else -next(_numbers)
