"""Reads a JSON body from a stranger: bounded, and tolerant where one sample would cost the others.

Lone surrogates and NUL become U+FFFD, one for one, before anything else sees the text. Numbers that
are not finite, nesting beyond 200 levels, broken JSON and bodies over the limit are refused with the
place named. Not covered: NDJSON bodies, which the jobs read line by line through :func:`parse`.
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
    """JSON text to values that can be verified, hashed and stored. Raises :class:`InvalidRequest`."""
    try:
        value = from_json(body, allow_inf_nan=False)
    except ValueError as refusal:
        value = _second_reading(body, where, refusal)
        return _clean(value, where, 0)
    return _clean(value, where, 0) if _SUSPECT.search(body) else value


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


def _clean(value: JsonValue, where: str, depth: int) -> JsonValue:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidRequest(
            f"{where} is a number beyond the range of a double: send it as text",
            errors=[FieldProblem(field=where, code="finite_number", detail="numbers must be finite")],
        )
    if depth > MAX_DEPTH:
        raise _unreadable(where, ValueError(f"nested deeper than {MAX_DEPTH} levels"))
    if isinstance(value, list):
        return [_clean(item, f"{where}.{index}", depth + 1) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {storable(name): _clean(item, f"{where}.{name}", depth + 1) for name, item in value.items()}
    return value
