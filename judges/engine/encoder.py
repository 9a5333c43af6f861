"""Encodes questions while batches run, so that the device does not wait for the tokenizer.

Each item once: ahead of its turn by a thread here, or in its turn by the engine's own, whichever comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread

from judges.base import ModelFailure, TooLong
from judges.engine.item import Item
from judges.engine.work import Loaded


class Encoder:
    """``peek`` gives a model by its name where it is in memory."""

    def __init__(self, peek: Callable[[str], Loaded | None]) -> None:
        self._peek = peek
        self._lock = Lock()
        self._coming: SimpleQueue[Item | None] = SimpleQueue()
        Thread(target=self._run, name="model-encoder", daemon=True).start()

    def close(self) -> None:
        self._coming.put(None)

    def encode_ahead(self, item: Item) -> None:
        self._coming.put(item)

    def encode(self, item: Item, loaded: Loaded) -> None:
        """Sets the item's ``work``, or its ``failure``."""
        with self._lock:
            if item.work is not None or item.failure is not None:
                return
            try:
                item.work = loaded.encode(item.question)
            except (ModelFailure, TooLong) as failure:
                item.failure = failure
            except Exception as failure:  # noqa: BLE001 - templates and tokenizers are foreign code: it is this item's error
                item.failure = ModelFailure(f"encoding failed: {type(failure).__name__}: {str(failure)[:300]}")

    def _run(self) -> None:
        while (item := self._coming.get()) is not None:
            loaded = self._peek(item.model)
            if loaded is not None:
                self.encode(item, loaded)
            del loaded
