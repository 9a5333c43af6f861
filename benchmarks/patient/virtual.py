"""An event loop whose clock jumps to the next timer where nothing else is due: minutes of waiting take no time.

What runs in it is the real code, as long as it waits by the loop alone: no threads, no sockets, no other clock.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Does not wait for a timer, but says how long it would have."""

    jumped_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is due any more: what is waited for never comes")
        ready = super().select(0)
        if not ready:
            self.jumped_s += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._jumping.jumped_s

    def run_in_executor(  # type: ignore[override]  # the base class takes other executors, too
        self, executor: None, func: Callable[..., T], *args: object
    ) -> asyncio.Future[T]:
        """At once: while a thread works, the clock would jump."""
        done: asyncio.Future[T] = self.create_future()
        done.set_result(func(*args))
        return done


def run(work: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
