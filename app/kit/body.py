"""Reads the JSON of a stranger: tolerant where one sample would cost the others.

Lone surrogates and NUL become U+FFFD, one for one, before anything else sees the text. Numbers that
are not finite, nesting beyond 200 levels, broken JSON and bodies over the limit are refused with the
place named; so are bodies of more than a million objects and arrays, for each costs hundreds of times its two
bytes. Not covered: NDJSON bodies, which the jobs read line by line through :func:`parse`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Generator
from typing import cast

from pydantic import JsonValue
from pydantic_core import from_json

from app.kit import json_pieces as pieces
from app.kit.json_pieces import JsonMember
from app.kit.pace import LoopPace
from trueward.errors import FieldProblem, InvalidRequest, TooLarge
from verifiers.legible import legible

MAX_DEPTH = 200
MAX_CONTAINERS = 1_000_000
"""Objects and arrays of one body."""
MAX_NAMES = 1000
"""Names of the outermost object; whatever it says, no request has a tenth of them."""
_PLACE_SHOWN = 300
_QUOTE = ord('"')
_TEXT_OR_CONTAINER = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[{\[]', re.DOTALL)
_ESCAPED = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
"""NUL, and half a character."""
_LINE_AND_COLUMN = re.compile(r"line (\d+) column (\d+)")
_NO_JSON = re.compile(rb"-?\b(?:NaN|nan|Infinity|inf|None|True|False|undefined)\b")
"""What other languages write for numbers, truth and no value."""
_NUMBERS = bytes.maketrans(b"123456789E", b"000000000e")
_HUGE = (b"0e000", b"0" * 300)
"""How numbers beyond a double look with each digit a 0 and without a plus."""
WHOLE = 2**18
"""Bytes of a body that is read at once: some milliseconds."""
_WINDOW = 2**18
_OVERLAP = 400
"""More bytes than :func:`_suspicious` looks at together."""
_PIECE = 2**16


def parse(body: bytes, where: str = "body") -> JsonValue:
    """JSON text to values that can be verified, hashed and stored.

    Raises :class:`InvalidRequest`, and :class:`TooLarge` for one of more parts than could be read in little memory.
    """
    if _containers(body) > MAX_CONTAINERS:
        raise _too_many(where)
    try:
        value: JsonValue = from_json(body, allow_inf_nan=False)
    except ValueError as refusal:
        value = _cleaned(_second_reading(body, where, refusal), where)
    else:
        value = _cleaned(value, where) if _suspicious(body) else value
    if isinstance(value, dict) and len(value) > MAX_NAMES:
        raise TooLarge(f"the {where} has {len(value)} names; at most {MAX_NAMES}")
    return value


def _suspicious(body: bytes) -> bool:
    """Whether the body may hold something that has to be searched for value by value. Much faster than parsing it."""
    if b"\\u" in body and _ESCAPED.search(body) is not None:
        return True
    numbers = body.translate(_NUMBERS, b"+")
    return any(huge in numbers for huge in _HUGE)


def _look_for_suspicious(text: bytes) -> Generator[None, None, bool]:
    """As :func:`_suspicious`, window after window: one value may have megabytes."""
    for start in range(0, len(text), _WINDOW):
        if start:
            yield
        if _suspicious(text[start : start + _WINDOW + _OVERLAP]):
            return True
    return False


async def parse_paced(body: bytes, pace: LoopPace, where: str = "body") -> JsonValue:
    """As :func:`parse`, and by turns with all else that the event loop has to do."""
    await pace.turn()
    if len(body) <= WHOLE:
        return parse(body, where)
    try:
        members = await pace.finish(pieces.iter_members(body, MAX_CONTAINERS))
    except pieces.UnreadableJson as refusal:
        if refusal.too_many:
            raise _too_many(where) from None
        raise _unreadable(where, refusal) from None
    if len(members) > MAX_NAMES:
        raise TooLarge(f"the {where} has {len(members)} names; at most {MAX_NAMES}")
    value: dict[str, JsonValue] = {}
    for member in members:
        await pace.turn()
        if member.edges and member.end - member.start > _PIECE:
            value.update(await _list_member(body, member, pace, where))
        elif (part := body[member.start : member.end]).strip():
            value.update(cast("dict[str, JsonValue]", await _piece(b"{%b}", part, pace, where)))
        elif len(members) > 1:
            raise _unreadable(where, ValueError("a member is missing"))
    return cast(JsonValue, value)


async def _list_member(body: bytes, member: JsonMember, pace: LoopPace, where: str) -> dict[str, JsonValue]:
    """The one member of an object whose value is a long list."""
    edges = member.edges
    head = cast("dict[str, list[JsonValue]]", await _piece(b"{%b]}", body[member.start : edges[0]], pace, where))
    [(name, elements)] = head.items()
    if body[edges[-1] : member.end].strip():
        raise _unreadable(where, ValueError(f"something follows the list {name[:_PLACE_SHOWN]}"))
    if not body[edges[0] : edges[-1] - 1].strip():
        return {name: []}
    first = 0
    for last in range(1, len(edges)):
        if edges[last] - edges[first] < _PIECE and last < len(edges) - 1:
            continue
        await pace.turn()
        part = body[edges[first] : edges[last] - 1]
        read = await _piece(b"[%b]", part, pace, f"{where}.{name}", first)
        if len(cast("list[JsonValue]", read)) != last - first:
            raise _unreadable(where, ValueError(f"an element of {name[:_PLACE_SHOWN]} is missing"))
        elements += cast("list[JsonValue]", read)
        first = last
    return {name: cast(JsonValue, elements)}


async def _piece(form: bytes, part: bytes, pace: LoopPace, where: str, first: int = 0) -> JsonValue:
    """A part of the body, made a value of its own; ``first`` is the index of a list's first element in the whole."""
    text = form % part
    try:
        value: JsonValue = from_json(text, allow_inf_nan=False)
    except ValueError as refusal:
        value = _second_reading(text, where, refusal)
    if not await pace.finish(_look_for_suspicious(text)):
        return value
    if isinstance(value, list):
        return [_cleaned(item, f"{where}.{index}") for index, item in enumerate(value, start=first)]
    return _cleaned(value, where)


def _too_many(where: str) -> TooLarge:
    return TooLarge(f"the {where} has over {MAX_CONTAINERS} objects and arrays: send smaller batches, or a job")


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
    if not _suspicious(body):
        raise _unreadable(where, _explain(body, refusal))
    try:
        value: JsonValue = json.loads(body, parse_constant=_no_constant)
    except (ValueError, RecursionError) as failure:
        raise _unreadable(where, failure) from None
    return value


def _explain(body: bytes, refusal: ValueError) -> ValueError:
    """The refusal, with the word at its place that Python or JavaScript writes and JSON has not."""
    place = _LINE_AND_COLUMN.search(str(refusal))
    if place is None:
        return refusal
    line, column = int(place[1]), int(place[2])
    near = body.split(b"\n", line)[line - 1][max(column - 4, 0) : column + 9]
    word = _NO_JSON.search(near)
    return refusal if word is None else ValueError(f"{refusal}: {word[0].decode()} is not JSON; no value is null")


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
        return legible(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unclean("finite_number", "a number beyond the range of a double: send it as text")
    if depth > MAX_DEPTH:
        raise _Unclean("json_invalid", f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, list):
        return [_below(item, index, depth) for index, item in enumerate(value)]
    if isinstance(value, dict):
        return {legible(name): _below(item, name, depth) for name, item in value.items()}
    return value


def _below(value: JsonValue, part: str | int, depth: int) -> JsonValue:
    try:
        return _clean(value, depth + 1)
    except _Unclean as found:
        found.place.append(str(part))
        raise
