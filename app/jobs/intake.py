"""Reads a job from a stranger: one JSON body, or NDJSON of any length line by line.

NDJSON: the first line is the request without its samples, each further line one sample; blank lines are
passed over. What is wrong is refused with its place (``line 17``, ``samples.3``), the job with it.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue, ValidationError

from app.kit.body import parse
from trueward.errors import FieldProblem, InvalidRequest, TooLarge
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.webhook import RewardsJob, VerifyJob

JobRequest = VerifyRequest | RewardsRequest
JobHead = VerifyJob | RewardsJob
"""A request with where to post how it ended."""
_MAX_FIELDS = 20


@dataclass(frozen=True, slots=True)
class PlacedSample:
    """A sample with its place in the body, for messages."""

    where: str
    sample: Sample


class Intake(Protocol):
    """A body that is being received; ``samples`` can be read once, ``digest`` afterwards."""

    head: JobHead

    def samples(self) -> AsyncIterator[PlacedSample]: ...

    def digest(self) -> str: ...


class JsonIntake:
    """A body that is read whole."""

    def __init__(self, body: bytes) -> None:
        value = parse(body)
        samples = value.pop("samples", None) if isinstance(value, dict) else None
        if not isinstance(samples, list):
            raise _wrong("samples", "missing", "a job has a list of samples, or is sent as application/x-ndjson")
        self.head = head_of(value, "body")
        self._samples = samples
        self._digest = hashlib.sha256(body).hexdigest()

    async def samples(self) -> AsyncIterator[PlacedSample]:
        for index, value in enumerate(self._samples):
            where = f"samples.{index}"
            yield PlacedSample(where, sample_of(value, where))

    def digest(self) -> str:
        return self._digest


class LinesIntake:
    """A body that is read line by line; made by :meth:`open`, which reads the first."""

    def __init__(self, head: JobHead, lines: _Lines) -> None:
        self.head = head
        self._lines = lines

    @classmethod
    async def open(cls, stream: AsyncIterator[bytes], max_line_bytes: int) -> LinesIntake:
        """Raises :class:`InvalidRequest` where the first line is not a request."""
        lines = _Lines(stream, max_line_bytes)
        async for where, line in lines:
            return cls(head_of(parse(line, where), where), lines)
        raise _wrong("line 1", "missing", "the body is empty: its first line is the request without samples")

    async def samples(self) -> AsyncIterator[PlacedSample]:
        async for where, line in self._lines:
            yield PlacedSample(where, sample_of(parse(line, where), where))

    def digest(self) -> str:
        return self._lines.hash.hexdigest()


class _Lines:
    """The lines of a stream with their places, blank ones left out."""

    def __init__(self, stream: AsyncIterator[bytes], max_bytes: int) -> None:
        self.hash = hashlib.sha256()
        self._stream = stream
        self._max_bytes = max_bytes
        self._lines = self._cut()

    def __aiter__(self) -> AsyncIterator[tuple[str, bytes]]:
        return self._lines

    async def _cut(self) -> AsyncIterator[tuple[str, bytes]]:
        number = 0
        rest = bytearray()
        async for piece in self._stream:
            self.hash.update(piece)
            *whole, last = piece.split(b"\n")
            for part in whole:
                number += 1
                line = bytes(rest) + part
                rest.clear()
                self._bound(line, number)
                if line.strip():
                    yield f"line {number}", line
            rest += last
            self._bound(rest, number + 1)
        if rest.strip():
            yield f"line {number + 1}", bytes(rest)

    def _bound(self, line: bytes | bytearray, number: int) -> None:
        if len(line) > self._max_bytes:
            raise TooLarge(f"line {number} has over {self._max_bytes} bytes (TRUEWARD_MAX_BODY_BYTES)")


def head_of(value: JsonValue, where: str) -> JobHead:
    """The request without its samples. Raises :class:`InvalidRequest`."""
    if not isinstance(value, dict):
        raise _wrong(where, "dict_type", "a job's request is a JSON object")
    if "samples" in value:
        raise _wrong(where, "extra_forbidden", "the first line has no samples: each has a line of its own")
    if ("verifier" in value) == ("recipe" in value):
        raise _wrong(where, "missing", "a job names either a verifier or a recipe")
    kind = VerifyJob if "verifier" in value else RewardsJob
    try:
        return kind.model_validate({**value, "samples": []})
    except ValidationError as refusal:
        raise _refused(where if where.startswith("line") else "", refusal) from None


def sample_of(value: JsonValue, where: str) -> Sample:
    """Raises :class:`InvalidRequest`."""
    try:
        return Sample.model_validate(value)
    except ValidationError as refusal:
        raise _refused(where, refusal) from None


def _refused(where: str, refusal: ValidationError) -> InvalidRequest:
    fields = []
    for item in refusal.errors(include_url=False)[:_MAX_FIELDS]:
        path = ".".join(str(part) for part in (where, *item["loc"]) if part != "")
        fields.append(FieldProblem(field=path or "body", code=item["type"], detail=item["msg"]))
    return InvalidRequest(f"{fields[0].field}: {fields[0].detail}. Nothing of this job was kept.", errors=fields)


def _wrong(where: str, code: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(where, code, detail, message=f"{where}: {detail}")
