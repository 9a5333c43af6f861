"""The one place where text that a model or a caller wrote becomes part of a page.

Nothing in it is obeyed: markup is escaped, nothing becomes a link, control characters and marks that hide or turn text
are shown by their numbers, towers of combining marks are cut, and no more is shown than was asked for. What was put
into a page by these functions is :class:`~markupsafe.Markup`; everything else Jinja escapes by itself.
"""

from __future__ import annotations

import json
import re
from typing import cast

from markupsafe import Markup, escape
from pydantic import BaseModel, JsonValue
from pydantic_core import to_jsonable_python

SHOWN = 4000
"""Characters of a text that a page shows before it asks."""
LINE = 160
_SHORT = 60
_TOWER = 6
_COMBINING = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
_UNRULY = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d159\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Controls, what turns the direction of writing, what has no width or no ink, and what is no character."""
UNRULY = re.compile(f"[{_UNRULY}]")
"""What is shown by its number."""
_SPECIAL = re.compile(f"([{_UNRULY}])\\1*|[{_COMBINING}]{{{_TOWER + 1},}}")
_BREAKS = re.compile("[\n\t]+")
_QUOTED = re.compile("`([^`]+)`")
_WORD = re.compile("[a-z]+ ")
_CODE = Markup("<code>{}</code>")
_APART, _END = Markup("<bdi>"), Markup("</bdi>")


def inert(text: str, most: int = SHOWN) -> Markup:
    """At most ``most`` characters of a text with its line breaks, for an element of the class ``inert``."""
    text = text[:most]
    if _SPECIAL.search(text) is None:
        return escape(text)
    pieces: list[str] = []
    end = 0
    for found in _SPECIAL.finditer(text):
        pieces += (escape(text[end : found.start()]), _mark(found.group()))
        end = found.end()
    pieces.append(escape(text[end:]))
    return Markup("").join(pieces)


def inert_line(text: str, most: int = LINE) -> Markup:
    """A text on one line, isolated from what stands around it; an ellipsis where it was cut."""
    line = _BREAKS.sub(" ", text[: most + 1])
    rest = "\u2026" if len(text) > most else ""
    # joined as texts: markup would look at each part again, and a page has thousands of lines
    return Markup(f"{_APART}{inert(line, most)}{rest}{_END}")  # noqa: S704 - each part is markup already


def inert_words(text: str, most: int = LINE) -> Markup:
    """A sentence on one line, in which what stands between backticks is code."""
    parts = _QUOTED.split(_BREAKS.sub(" ", text[:most]))
    told = [_CODE.format(inert(part, most)) if place % 2 else inert(part, most) for place, part in enumerate(parts)]
    return _APART + Markup("").join(told) + ("\u2026" if len(text) > most else "") + _END


def sentence(text: str) -> str:
    """A message of the API, which begins small and has no full stop, as a sentence; a name at its beginning stays."""
    told = text[:1].upper() + text[1:] if _WORD.match(text) else text
    return told if not told or told.endswith((".", "?", "!")) else f"{told}."


def inert_json(value: object, most: int = SHOWN) -> Markup:
    """Any value that JSON can hold, or a model, indented; a text stands for itself."""
    return inert(as_text(value), most)


def as_text(value: object) -> str:
    """A text as it is, messages one below the other, anything else as JSON: on one line where that is a short one."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    value = cast(JsonValue, to_jsonable_python(value))
    if isinstance(value, str):
        return value
    if (told := _messages(value)) is not None:
        return told
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) <= _SHORT else json.dumps(value, indent=2, ensure_ascii=False)


def _messages(value: JsonValue) -> str | None:
    if not isinstance(value, list) or not value:
        return None
    told = []
    for message in value:
        if not isinstance(message, dict) or not {"role", "content"} <= message.keys():
            return None
        content = message["content"]
        told.append(f"[{message['role']}]\n{content if isinstance(content, str) else as_text(content)}")
    return "\n\n".join(told)


def _mark(run: str) -> Markup:
    """What stands for a run of one unruly character, or for a tower of marks."""
    if run[0] == run[-1] and re.match(f"[{_UNRULY}]", run):
        times = f" \u00d7{len(run)}" if len(run) > 1 else ""
        return Markup('<span class="mark">U+{}{}</span>').format(f"{ord(run[0]):04X}", times)
    return Markup('{}<span class="mark">{} combining marks</span>').format(run[:_TOWER], len(run) - _TOWER)
