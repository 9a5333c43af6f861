"""Items that a model writes together, and what goes wrong kept to those that it concerns.

Where memory runs out all that are not whole are to be asked again, fewer at a time; where it fails otherwise, each
alone. With a seed, or without temperature, they then say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from judges.engine.batch import Results, too_large, wrap_failure
from judges.engine.item import Item
from judges.engine.work import DeviceLost, Loaded, OutOfMemory, Writing


@dataclass(slots=True)
class Draft:
    """``make_room`` frees memory that others hold; False where there was none. ``again``: what is to be asked again,
    because memory ran out (``ran_out``) or because one of them failed; ``cost`` of what did not fit: as in
    :class:`judges.engine.schedule.Room`."""

    loaded: Loaded
    items: Sequence[Item]
    make_room: Callable[[], bool]
    again: list[Item] = field(default_factory=list)
    ran_out: bool = False
    cost: int = 0
    _writing: Writing | None = None
    _rows: dict[int, Item] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rows = dict(enumerate(self.items))

    def __len__(self) -> int:
        """How many are not whole yet."""
        return len(self._rows)

    def step(self, wanted: Callable[[Item], bool]) -> Results:
        """A token more of each that is still ``wanted``; those that are whole now, and what became of them.

        Raises :class:`DeviceLost`.
        """
        gone = [row for row, item in self._rows.items() if not wanted(item)]
        for row in gone:
            del self._rows[row]
        if not self._rows:
            return []
        try:
            if self._writing is None:
                self._writing = self.loaded.write([item.work for item in self.items if item.work is not None])
            return [(self._rows.pop(row), answer) for row, answer in self._writing.step(gone)]
        except DeviceLost:
            raise
        except OutOfMemory:
            self.ran_out = True
        except Exception as failure:  # noqa: BLE001 - models are foreign code; whose fault it was shows when each runs alone
            if len(self._rows) == 1:
                return [(item, wrap_failure(failure)) for item in self._ended()]
            for item in self._rows.values():
                item.alone = True
        # not within `except`: the exception holds the tensors of the step that failed
        items = self._ended()
        if self.ran_out and len(items) == 1 and not self.make_room():
            return [(item, too_large(item)) for item in items]
        self.again = items
        return []

    def _ended(self) -> list[Item]:
        """Those that are not whole, which are not written on."""
        items = list(self._rows.values())
        self.cost = max(item.tokens for item in items) * len(items)
        self._rows.clear()
        self._writing = None
        return items
