"""Where a large JSON text can be cut, so that it is read piece by piece: between the members of its outermost object,
and between the elements of the lists that are directly in it.

Only brackets, commas and the ends of texts are looked at; whether a piece is JSON is for its reader to say. Linear.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from itertools import count

WINDOW = 2**16
"""Bytes that are looked at at once."""

_STEPS = 500

_TEXT = rb'"(?:[^"\\]++|\\.)*+"'
_EACH = re.compile(rb'(?:[^"\[\]{}]++|' + _TEXT + rb")*+", re.DOTALL)
_DEEP = re.compile(rb'(?:[^"\[\]{}]++|\[[^"\[\]{}]*+\]|' + _TEXT + rb")*+", re.DOTALL)
"""As the one before, but lists of numbers are stepped over."""
_SHALLOW = re.compile(rb'(?:[^"\[\]{},]++|' + _TEXT + rb")*+", re.DOTALL)
_WITHIN_TEXT = re.compile(rb'(?:[^"\\]++|\\.)*+', re.DOTALL)
_OPENING = b"[{"
_CLOSES = {ord("]"): ord("["), ord("}"): ord("{")}
_QUOTE, _COMMA = ord('"'), ord(",")


class UnreadableJson(ValueError):
    """The text is no JSON object, or has more parts than are allowed (``too_many``)."""

    def __init__(self, reason: str, *, too_many: bool = False) -> None:
        super().__init__(reason)
        self.too_many = too_many


@dataclass(slots=True)
class JsonMember:
    """Name and value stand in ``[start, end)``. Where the value is a list, ``edges`` are where its elements begin, and,
    last, where one more would begin: behind its end."""

    start: int
    end: int = 0
    edges: list[int] = field(default_factory=list)


def iter_members(text: bytes, most_containers: int) -> Generator[None, None, list[JsonMember]]:
    """The members of the outermost object. Yields about once a millisecond, to whoever has something else to do.

    Raises :class:`UnreadableJson`.
    """
    start = len(text) - len(text.lstrip(b" \t\r\n"))
    if text[start : start + 1] != b"{":
        raise UnreadableJson("it is no object")
    found = [JsonMember(start + 1)]
    deep = _DEEP if text.count(b"{") + text.count(b"[") <= most_containers else _EACH
    open_here, containers, place = [ord("{")], 1, start + 1
    for step in count(1):
        if step % _STEPS == 0:
            yield
        depth = len(open_here)
        listing = depth == 2 and open_here[1] == ord("[")
        pattern = _SHALLOW if depth == 1 or listing else deep
        end = yield from _to_next(text, place, pattern)
        sign, place = text[end], end + 1
        if sign in _OPENING:
            containers += 1
            if containers > most_containers:
                raise UnreadableJson(f"it has over {most_containers} objects and arrays", too_many=True)
            open_here.append(sign)
            if depth == 1 and sign == ord("["):
                found[-1].edges = [place]
        elif sign == _COMMA:
            if depth == 1:
                found[-1].end = end
                found.append(JsonMember(place))
            else:
                found[-1].edges.append(place)
        elif open_here.pop() != _CLOSES[sign]:
            raise UnreadableJson(f"a bracket at byte {end} closes another one")
        elif listing:
            found[-1].edges.append(place)
        elif depth == 1:
            found[-1].end = end
            if text[place:].strip():
                raise UnreadableJson(f"something follows its end at byte {end}")
            break
    return found


def _to_next(text: bytes, place: int, pattern: re.Pattern[bytes]) -> Generator[None, None, int]:
    """Where the next bracket or comma outside of texts stands."""
    while place < len(text):
        found = pattern.match(text, place, place + WINDOW)
        assert found is not None  # it matches the empty text, too
        end = found.end()
        if end < len(text) and text[end] != _QUOTE and end < place + WINDOW:
            return end
        if end < len(text) and end == place:
            end = yield from _text_end(text, place + 1)
        place = end
        yield
    raise UnreadableJson("it is cut off")


def _text_end(text: bytes, place: int) -> Generator[None, None, int]:
    """Behind the quote that ends the text in which ``place`` is."""
    while place < len(text):
        found = _WITHIN_TEXT.match(text, place, place + WINDOW)
        assert found is not None
        place = found.end()
        if text[place : place + 1] == b'"':
            return place + 1
        if place == len(text) - 1:
            break
        yield
    raise UnreadableJson("a text in it has no end")
