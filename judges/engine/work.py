"""A question made tokens, and what is read of it: what is scheduled, batched and run.

Nothing here knows torch. Of one sequence only the rows that ``Read`` names are ever computed at the head.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from judges.base import NotFinite
from judges.questions import Answer, Generate, Question
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

Row = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """Rows that are wanted: one a position (an index of the sequence's tokens), in order.

    Without ``targets`` a row has the logits of the model's classification head. With them it has, for each target of
    that position, its log-probability as the next token.
    """

    positions: tuple[int, ...]
    targets: tuple[tuple[int, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """A sequence of tokens with what is read of it.

    The first ``shared`` tokens are its prompt, which others of the same prompt may compute together with it.
    ``second`` is where the second text of a pair begins (0: none), ``spans`` are those of the answer. ``then``: what is
    generated after it, with no more tokens than there is room for.
    """

    ids: tuple[int, ...]
    read: Read
    shared: int = 0
    second: int = 0
    truncated: int = 0
    spans: tuple[int, ...] = ()
    """How many of the rows belong to each span, where the question has spans."""
    offsets: tuple[tuple[tuple[int, int], ...], ...] = ()
    then: Generate | None = None
    told: int | None = None
    """The token from which on each is read, where the question is about every one."""

    @property
    def tokens(self) -> int:
        return len(self.ids)

    @property
    def room(self) -> int:
        """Its tokens with those that may be generated."""
        return self.tokens + (self.then.max_tokens if self.then is not None else 0)


class OutOfMemory(Exception):
    """A batch did not fit; smaller ones may."""


class DeviceLost(Exception):
    """The device fails for good in this process: it must be started anew."""


class Loaded(Protocol):
    """A model in memory. Used by one thread, but for ``encode``: another thread may call it (one call at a time)
    while a batch runs, so that the device does not wait for the tokenizer."""

    entry: ModelEntry
    weights: int
    """Version of the weights, 0 as loaded; ``swap`` sets it, and ``answer`` tells it."""

    @property
    def packed(self) -> bool:
        """Whether a batch costs the sum of its tokens; else it is padded: its longest text times their number."""
        ...

    @property
    def bytes(self) -> int:
        """Memory that its weights take."""
        ...

    def encode(self, question: Question) -> Work:
        """Raises :class:`judges.base.TooLong` or :class:`judges.base.Unaskable`."""
        ...

    def run(self, works: Sequence[Work]) -> list[list[Row]]:
        """The rows of each sequence, in order; one forward pass, or a few where prompts are shared.

        Raises :class:`OutOfMemory` or :class:`DeviceLost`. Rows may hold NaN: whoever asked finds out.
        """
        ...

    def answer(self, work: Work, rows: Sequence[Row]) -> Answer:
        """What the rows say."""
        ...

    def write(self, works: Sequence[Work]) -> Writing:
        """Begins to generate what follows each; other works may be run between two steps, no weights swapped."""
        ...

    def swap(self, source: WeightsRequest, version: int) -> Weights:
        """Replaces weights between two batches; ``version`` is above the present one.

        ``rests_on`` of what it returns are the earlier versions that must be put back first when the model is loaded
        again. Raises ValueError with what is wrong; the old weights then stay, whatever an adapter stood on them.
        What else it raises leaves a model that must be loaded again.
        """
        ...


class Writing(Protocol):
    """Texts that are generated together, a token a step."""

    def step(self, gone: Collection[int]) -> Sequence[tuple[int, Answer | NotFinite]]:
        """One token more of each but those that are ``gone`` (by their places in what was begun): these leave.

        Gives those that are whole now, which leave too. Raises :class:`OutOfMemory` or :class:`DeviceLost`; then, or
        where it raises anything else, there is no going on.
        """
        ...


class Loader(Protocol):
    def __call__(self, entry: ModelEntry, /) -> Loaded:
        """Raises :class:`judges.base.ModelUnavailable` with what is wrong,
        :class:`OutOfMemory` where less memory in use may help, :class:`DeviceLost`."""
        ...


def extend_history(history: Sequence[WeightsRequest], new: WeightsRequest, weights: Weights) -> list[WeightsRequest]:
    """What makes the present weights, oldest first, each with its version: of the earlier ones what is left of them."""
    kept = [earlier for earlier in history if earlier.version in weights.rests_on]
    return [*kept, new.model_copy(update={"version": weights.version})]
