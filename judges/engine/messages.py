"""What travels between whoever asks and an engine: requests with numbers one way, replies to them the other.

Several at a time, as one pickled list behind its length, where the engine is in a process of its own.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from judges.backend import ModelStatus
from judges.base import ModelFailure, TooLong
from judges.questions import Answer, Question
from trueward.wire.model import ModelEntry, Weights, WeightsRequest

_LENGTH = struct.Struct("=Q")


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message to a process; ``loader`` is 'module:function', ``beat_s`` how often it tells how it is."""

    loader: str
    device: str
    memory_bytes: int
    batch_tokens: int
    queue_tokens: int
    beat_s: float


@dataclass(frozen=True, slots=True)
class Register:
    """A model, before anything else is said of it; another of that name is dropped. ``history``: its weights."""

    entry: ModelEntry
    history: tuple[WeightsRequest, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """``remaining_s`` until its deadline; ``alone``: in a batch of its own."""

    number: int
    model: str
    question: Question
    flow: str
    remaining_s: float
    least_weights: int = 0
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for the answer any more."""

    number: int


@dataclass(frozen=True, slots=True)
class Load:
    number: int
    model: str


@dataclass(frozen=True, slots=True)
class Swap:
    number: int
    model: str
    request: WeightsRequest


@dataclass(frozen=True, slots=True)
class Drop:
    model: str


Request = Register | Ask | Cancel | Load | Swap | Drop
Outcome = Answer | Weights | ModelFailure | TooLong | TimeoutError | ValueError | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of a request: the answer, the weights, nothing (of a load), or the exception to raise."""

    number: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Running:
    """What begins now: a batch of these, a swap of this, or the load of a model. Whoever hosts the process knows then
    what it may have died of."""

    numbers: tuple[int, ...] = ()
    loading: str | None = None


@dataclass(frozen=True, slots=True)
class Beat:
    """How the engine is doing; ``batch_s`` is how long it has been at its present batch, 0 between two."""

    batch_s: float
    statuses: Mapping[str, ModelStatus]
    counters: Mapping[str, float]


Message = Reply | Running | Beat


def pack(messages: object) -> bytes:
    body = pickle.dumps(messages, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


class Stream:
    """Makes messages again of what arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[object]:
        """Each message that is complete."""
        buffer = self._buffer
        buffer += data
        start = 0
        while len(buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(buffer, start)
            end = start + _LENGTH.size + length
            if len(buffer) < end:
                break
            yield pickle.loads(memoryview(buffer)[start + _LENGTH.size : end])  # noqa: S301 - our own other half wrote it
            start = end
        del buffer[:start]
