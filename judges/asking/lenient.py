r"""Objects of JSON as models write them: with slips that leave no doubt of what was meant.

Read are backslashes that are not doubled (``\sqrt``), raw line breaks and control characters in texts, commas too many,
semicolons and equals signs for commas and colons, comments, texts in single, curly, pointed or full-width quotes, keys
and words without quotes, full-width marks and digits, ``True`` and ``None``, the arguments of a call
(``Verdict(verdict='correct')``), and quotes within a text that are not escaped. Such a quote is taken for a part of the
text where what follows it cannot follow a text: that is a guess, and the object says so, as it does where an escaped
one might have ended its text.

Not read: an object that is cut off, a key that stands twice, two values without a comma between them. Published
repairers (json-repair 0.64) read all of these, and so make a decision of a text that has none. Bounded: an object of
more than :data:`MOST_STEPS` parts is not read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from pydantic import JsonValue

MOST_STEPS = 5_000
_TRIED = 16
"""Places where reading leniently is tried in one reply."""
_STRICT_TRIED = 64
_DEPTH = 16
_COMMAS = ",，;；"
_COLONS = ":：=＝"
_CLOSED = {"{": "}", "｛": "｝", "(": ")"}
_BEGINS = re.compile(r"[{｛]|(?<![^\n])[A-Za-z_]\w{0,63}\((?=\s{0,9}[A-Za-z_]\w{0,63}\s?=[^=])")
"""An object, or a call that names its arguments, at the beginning of a line."""
_COMMENT = r"//[^\n]{0,300}|\#[^\n]{0,300}|/\*(?:[^*]|\*(?!/)){0,300}\*/"
_SPACE = re.compile(rf"(?:\s+|{_COMMENT})*")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_MINUS = str.maketrans("−－＋．", "--+.")
_NUMBER = re.compile(r"[-+−－＋]?\d{1,40}(?:[.．]\d{1,40})?(?:[eE][-+]?[0-9]{1,3})?")
_SHARE = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})? ?/ ?[0-9]{1,9}")
"""``7/10``, which stays a text."""
_QUOTED = "|".join(
    f"{opening}[^{closing}\n]{{1,80}}{closing}" for opening, closing in ('""', "''", "“”", "``", "«»", "＂＂", "「」")
)
_KEY = rf"(?:{_QUOTED}|[A-Za-z_][A-Za-z0-9_-]{{0,79}})\s*[{_COLONS}]"
_MEMBER = re.compile(_KEY)
_ITEM = re.compile(r"""["'“{\[0-9-]|true|false|null""")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`", "«": "»", "＂": "＂", "「": "」"}
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'"}
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LITERALS: dict[str, JsonValue] = {
    "true": True, "false": False, "null": None, "True": True, "False": False, "None": None,
}  # fmt: skip
_BEGUN = re.compile(r"""[{｛]\s*["'“]""")
_SURROGATE = re.compile("[\ud800-\udfff]")
_Ends = Callable[[str, int], bool]
"""Whether a closing quote before that place ends a text there."""


class Broken(ValueError):
    """No object begins here."""


@dataclass(frozen=True, slots=True)
class Found:
    """An object that stands in a text from ``start`` to ``end``; ``guessed`` where the end of a text in it was.
    ``comments`` are those beside its members."""

    value: dict[str, JsonValue]
    start: int
    end: int
    guessed: bool = False
    comments: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The outermost objects of a text, in order; ``broken`` where one is begun that cannot be read."""

    objects: list[Found]
    broken: bool


def whole(text: str) -> dict[str, JsonValue] | None:
    """The object that the text is, to the letter of JSON."""
    try:
        value = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def standing(text: str) -> Standing:
    """What stands in a text. What stands in an object that is broken is a part of it, and no object of its own."""
    found: list[Found] = []
    place = tried = lenient = 0
    while (begins := _BEGINS.search(text, place)) is not None and tried < _STRICT_TRIED:
        place = begins.start()
        tried += 1
        one = _strict(text, place)
        if one is None and lenient < _TRIED:
            lenient += 1
            one = _lenient(text, begins)
        if one is not None:
            found.append(one)
            place = one.end
        elif _BEGUN.match(text, place):
            return Standing(found, broken=True)
        else:
            place = begins.end()
    return Standing(found, broken=begins is not None)


def _strict(text: str, place: int) -> Found | None:
    try:
        value, end = _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None
    return Found(value, place, end) if isinstance(value, dict) else None


def _lenient(text: str, begins: re.Match[str]) -> Found | None:
    reading = _Reading(text, begins.end() - 1)
    try:
        value = reading.object(0)
    except Broken:
        return None
    return Found(value, begins.start(), reading.place, reading.guessed, "\n".join(reading.comments))


class _Reading:
    """One object on its way, from ``place`` on."""

    def __init__(self, text: str, place: int) -> None:
        self.place = place
        self.guessed = False
        self.comments: list[str] = []
        self._text = text
        self._steps = 0

    def object(self, depth: int) -> dict[str, JsonValue]:
        closing = _CLOSED[self._here]
        ends = partial(_ends_member, closing=closing)
        self._open(depth)
        found: dict[str, JsonValue] = {}
        self._passed_all(_COMMAS)
        while not self._passed(closing):
            key = self._key()
            if key in found:
                raise Broken("a key stands twice")
            if not self._passed(_COLONS):
                raise Broken("a key has no value")
            found[key] = self._value(ends, depth)
            if not self._passed_all(_COMMAS) and self._here != closing and not self._begins_line():
                raise Broken("members are not parted")
        return found

    def _array(self, depth: int) -> list[JsonValue]:
        self._open(depth)
        found: list[JsonValue] = []
        while not self._passed("]"):
            found.append(self._value(_ends_item, depth))
            if not self._passed(_COMMAS) and self._here != "]":
                raise Broken("items are not parted")
        return found

    def _open(self, depth: int) -> None:
        if depth > _DEPTH:
            raise Broken("it is too deep")
        self.place += 1

    def _key(self) -> str:
        self._skip()
        if self._here in _CLOSING:
            return self._string(_ends_key)
        return self._taken(_WORD)[0]

    def _value(self, ends: _Ends, depth: int) -> JsonValue:
        self._skip()
        here = self._here
        if here in _CLOSING:
            return self._string(ends)
        if here in ("{", "｛"):
            return self.object(depth + 1)
        if here == "[":
            return self._array(depth + 1)
        if _SHARE.match(self._text, self.place):
            return self._ended(self._taken(_SHARE)[0])
        if _NUMBER.match(self._text, self.place):
            said = self._taken(_NUMBER)[0].translate(_MINUS)
            return self._ended(float(said) if any(mark in said for mark in ".eE") else int(said))
        word = self._taken(_WORD)[0]
        return self._ended(_LITERALS.get(word, word))

    def _ended(self, value: JsonValue) -> JsonValue:
        """What has no quotes ends where a mark follows."""
        self._skip()
        if self._here not in (*_COMMAS, *_CLOSED.values(), "]") and not self._begins_line():
            raise Broken("a value does not end")
        return value

    def _string(self, ends: _Ends) -> str:
        """From its opening quote to the first closing one that ``ends`` may follow."""
        text, closing = self._text, _CLOSING[self._here]
        stops = re.compile(rf"[\\{closing}]")
        parts: list[str] = []
        place = self.place + 1
        while (stop := stops.search(text, place)) is not None:
            self._step()
            parts.append(text[place : stop.start()])
            place = stop.end()
            if stop[0] == "\\":
                said, place = _escaped(text, place)
                self.guessed = self.guessed or (said == closing and ends(text, place))
                parts.append(said)
            elif ends is _ends_key and not ends(text, place):
                raise Broken("a key does not end")
            elif ends(text, place):
                self.place = place
                return _paired("".join(parts))
            else:
                self.guessed = True
                parts.append(closing)
        raise Broken("a text does not end")

    @property
    def _here(self) -> str:
        return self._text[self.place : self.place + 1]

    def _skip(self) -> None:
        begun, self.place = self.place, _skipped(self._text, self.place)
        if comment := self._text[begun : self.place].strip():
            self.comments.append(comment)

    def _passed(self, marks: str) -> bool:
        """Whether one of the marks comes next; then it is behind."""
        self._step()
        self._skip()
        if not self._here or self._here not in marks:
            return False
        self.place += 1
        return True

    def _passed_all(self, marks: str) -> bool:
        """The same of all that come next."""
        found = self._passed(marks)
        while found and self._passed(marks):
            pass
        return found

    def _begins_line(self) -> bool:
        """Whether a member begins a line here: then a comma may be missing."""
        line = self._text.rfind("\n", 0, self.place)
        blank = line >= 0 and not self._text[line : self.place].strip()
        return blank and _MEMBER.match(self._text, self.place) is not None

    def _taken(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._text, self.place)
        if found is None:
            raise Broken("something else stands here")
        self.place = found.end()
        return found

    def _step(self) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise Broken("it has too many parts")


def _escaped(text: str, place: int) -> tuple[str, int]:
    r"""What a backslash before ``place`` means, and where it ends: with what is no escape, the backslash itself."""
    mark = text[place : place + 1]
    if mark == "u" and (digits := _HEX.match(text, place + 1)) is not None:
        return chr(int(digits[0], 16)), digits.end()
    return (_ESCAPES[mark], place + 1) if mark in _ESCAPES else ("\\", place)


def _paired(text: str) -> str:
    """Surrogates that were written as escapes, as the characters that they stand for."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _ends_key(text: str, place: int) -> bool:
    return text[(place := _skipped(text, place)) : place + 1] in tuple(_COLONS)


def _ends_member(text: str, place: int, closing: str) -> bool:
    after = _skipped(text, place)
    new_line = "\n" in text[place:after] and _MEMBER.match(text, after) is not None
    return new_line or _is_followed(text, after, closing, _MEMBER)


def _ends_item(text: str, place: int) -> bool:
    return _is_followed(text, _skipped(text, place), "]", _ITEM)


def _is_followed(text: str, place: int, closing: str, next_one: re.Pattern[str]) -> bool:
    """Whether the mark that closes stands there, or a comma and then that mark or the next one."""
    if text[place : place + 1] not in (*_COMMAS, closing):
        return False
    if text[place] == closing:
        return True
    after = _skipped(text, place + 1)
    while text[after : after + 1] in tuple(_COMMAS) and after < place + 16:
        after = _skipped(text, after + 1)
    return text[after : after + 1] == closing or next_one.match(text, after) is not None


def _skipped(text: str, place: int) -> int:
    space = _SPACE.match(text, place)
    assert space is not None, "it matches nothing, too"
    return space.end()


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """An object that says a key twice has been written by two."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


_DECODER = json.JSONDecoder(parse_constant=_refused, object_pairs_hook=_once)
