"""Reads a JSON body from a stranger: bounded, and tolerant where one sample would cost the others.

Lone surrogates and NUL become U+FFFD, one for one, before anything else sees the text. Numbers that
are not finite, nesting beyond 200 levels, broken JSON and bodies over the limit are refused with the
place named; so are bodies of more than a million objects and arrays, for each costs hundreds of times its two
bytes. Not covered: NDJSON bodies, which the jobs read line by line through :func:`parse`.
"""

from __future__ import annotations

import json
import math
import re

from fastapi import Request
from pydantic import JsonValue
from pydantic_core import from_json

from app.kit.text import storable
from trueward.errors import FieldProblem, InvalidRequest, TooLarge

MAX_DEPTH = 200
MAX_CONTAINERS = 1_000_000
"""Objects and arrays of one body."""
MAX_NAMES = 1000
"""Names of the outermost object; whatever it says, no request has a tenth of them."""
_PLACE_SHOWN = 300
_QUOTE = ord('"')
_TEXT_OR_CONTAINER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{\[]', re.DOTALL)
_SUSPECT = re.compile(rb"\\u0000|\\ud[89a-f]|[0-9][eE]\+?[0-9]{3}", re.IGNORECASE)


async def read_bounded(request: Request, limit: int) -> bytes:
    """The whole body, at most ``limit`` bytes; raises :class:`TooLarge` as soon as it is longer."""
    chunks: list[bytes] = []
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise TooLarge(f"the body is over {limit} bytes (TRUEWARD_MAX_BODY_BYTES): send smaller batches, or a job")
        chunks.append(chunk)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def parse(body: bytes, where: str = "body") -> JsonValue:
    """JSON text to values that can be verified, hashed and stored.

    Raises :class:`InvalidRequest`, and :class:`TooLarge` for one of more parts than could be read in little memory.
    """
    if _containers(body) > MAX_CONTAINERS:
        raise TooLarge(f"the {where} has over {MAX_CONTAINERS} objects and arrays: send smaller batches, or a job")
    try:
        value: JsonValue = from_json(body, allow_inf_nan=False)
    except ValueError as refusal:
        value = _cleaned(_second_reading(body, where, refusal), where)
    else:
        value = _cleaned(value, where) if _SUSPECT.search(body) else value
    if isinstance(value, dict) and len(value) > MAX_NAMES:
        raise TooLarge(f"the {where} has {len(value)} names; at most {MAX_NAMES}")
    return value


def _containers(body: bytes) -> int:
    """How many there can be at most; those in texts are left out only where they could be why there are so many."""
    most = body.count(b"{") + body.count(b"[")
    if most <= MAX_CONTAINERS:
        return most
    outside = 0
    for found in _TEXT_OR_CONTAINER.finditer(body):
        outside += body[found.start()] != _QUOTE
        if outside > MAX_CONTAINERS:
            break
    return outside


def _second_reading(body: bytes, where: str, refusal: ValueError) -> JsonValue:
    """A lone surrogate is refused by the strict parser: it costs its own sample no more than a character."""
    if _SUSPECT.search(body) is None:
        raise _unreadable(where, refusal)
    try:
        value: JsonValue = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as failure:
        raise _unreadable(where, failure) from None
    return value


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


def _unreadable(where: str, failure: Exception) -> InvalidRequest:
    reason = str(failure)[:200]
    return InvalidRequest(
        f"the {where} is not JSON that can be read: {reason}",
        errors=[FieldProblem(field=where, code="json_invalid", detail=reason)],
    )


class _Unclean(Exception):
    """``place``: the way to what cannot be kept, from the inside out. To make it is what only a refusal pays for."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.place: list[str] = []


def _cleaned(value: JsonValue, where: str) -> JsonValue:
    try:
        return _clean(value, 0)
    except _Unclean as found:
        place = ".".join([where, *(part[:_PLACE_SHOWN] for part in reversed(found.place))])[:_PLACE_SHOWN]
        problem = FieldProblem(field=place, code=found.code, detail=str(found))
        raise InvalidRequest(f"{place}: {found}", errors=[problem]) from None


def _clean(value: JsonValue, depth: int) -> JsonValue:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unclean("finite_number", "a number beyond the range of a double: send it as text")
    if depth > MAX_DEPTH:
        raise _Unclean("json_invalid", f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, list):
        return [_below(item, index, depth) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {storable(name): _below(item, name, depth) for name, item in value.items()}
    return value


def _below(value: JsonValue, part: str | int, depth: int) -> JsonValue:
    try:
        return _clean(value, depth + 1)
    except _Unclean as found:
        found.place.append(str(part))
        raise
