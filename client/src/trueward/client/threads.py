"""Calls in threads for which the interpreter does not wait at its end, as it does for an executor's.

So Ctrl-C ends a client whose service says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Generic, TypeVar

A = TypeVar("A")


class Threads(Generic[A]):
    """Begins the calls in order, ``at_once`` at a time, when it is iterated."""

    def __init__(self, calls: Sequence[Callable[[], A]], at_once: int) -> None:
        self._count = len(calls)
        self._waiting: SimpleQueue[tuple[int, Callable[[], A]]] = SimpleQueue()
        for place, call in enumerate(calls):
            self._waiting.put((place, call))
        self._done: SimpleQueue[tuple[int, A | None, BaseException | None]] = SimpleQueue()
        self._threads = [
            Thread(target=self._work, name=f"trueward-{number}", daemon=True)
            for number in range(min(at_once, self._count))
        ]

    def __iter__(self) -> Iterator[tuple[int, A]]:
        """The place of each call and what it gave, as they end; raises what one of them raised."""
        for thread in self._threads:
            thread.start()
        for _ in range(self._count):
            place, answer, failure = self._done.get()
            if failure is not None:
                raise failure
            yield place, answer  # type: ignore[misc]  # an answer may be None where A allows it

    def cancel(self) -> None:
        """No further call begins."""
        while True:
            try:
                self._waiting.get_nowait()
            except Empty:
                return

    def join(self) -> None:
        """Waits for the calls under way."""
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _work(self) -> None:
        while True:
            try:
                place, call = self._waiting.get_nowait()
            except Empty:
                return
            try:
                self._done.put((place, call(), None))
            except BaseException as failure:  # noqa: BLE001 - raised where the calls are waited for
                self._done.put((place, None, failure))
