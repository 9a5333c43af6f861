"""Whether a reply decides by an object that the response wrote and the judge repeats.

A small model that is shown an object of the form in what it judges writes it down again, and a large one may quote it
and say no more. Such an object is the response's decision, not the judge's: where every object of a reply stands in
what is judged, the reply decides nothing. It stands there also in other quotes, width, case and white space, and, where
it gives reasons, in another order of its members: a judge that repeats mends as it writes. Those that are not of the
form, and those in its thinking, do not count. So it is with a reply in words that is more than its label (``Verdict:
correct``, ``[[A]]``); a label alone stands in many honest responses. What the question or a reference has as well is
not the response's, so it counts; what a tool printed is, for the response had it printed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from pydantic import JsonValue

from judges.asking.lenient import Found, standing
from judges.asking.reply import Form, strip_thinking
from judges.questions import Turn

_FENCE = re.compile(r"⟦([^⟦⟧\s]{1,64}(?: [^⟦⟧\s]{1,64})?) ([0-9a-f]{12})⟧\n(.*?)\n⟦/\1 \2⟧", re.DOTALL)
_GIVEN = re.compile(r"(?:QUESTION|REFERENCE|PRINCIPLE|DOCUMENT|CRITERI\w+|ITEM|SYSTEM|USER)\b")
"""Material that no response wrote, nor had a tool write."""
_CHANGED = re.compile(r"[\s\\*_`\"'“”„‟‘’‚«»「」]+")
"""What a judge may write otherwise when it repeats."""
_SPACE = re.compile(r"\s+")
_LAST_COMMA = re.compile(r",(?=[}\]])")
_LABEL = re.compile(r"[\s#>*_`\"'“”-]*[^\W_]+(?:[ _-][^\W_]+)?[\s*_`\"'“”.!]*")
_REASON = 12
"""Characters of a text that nobody writes twice by chance."""


def is_repeated(text: str, prompt: Sequence[Turn], form: Form) -> bool:
    """Whether all objects of the form that stand in a reply stand in what is judged."""
    text = strip_thinking(text) or ""
    everything = standing(text).objects
    objects = [one for one in everything if form.fits(one.value)] or everything  # rows stand without their object
    own: list[str] = []
    given: list[str] = []
    for turn in prompt:
        for name, _, body in _FENCE.findall(turn.content):
            (given if _GIVEN.match(name) else own).append(body)
        given.append(_FENCE.sub("", turn.content))
    written, told = _packed(own), _packed(given)
    if not objects:
        # the form, as a prompt shows it, has the words of a decision in quotes
        is_told = any(_spaceless(text) in _spaceless(one) for one in given)
        return _LABEL.fullmatch(text) is None and _packed([text]) in written and not is_told
    return all(_stands(text, one, written) and not _stands(text, one, told) for one in objects)


def _stands(text: str, one: Found, written: str) -> bool:
    """Whether an object of a reply stands in what was written: as it is, or by all of its members."""
    if _packed([text[one.start : one.end]]) in written:
        return True
    members = [(_packed([name]), _packed([_plain(value)])) for name, value in _members(one.value)]
    reasoned = any(len(value) >= _REASON for _, value in members)
    return reasoned and all(f"{name}:{value}" in written for name, value in members)


def _members(value: JsonValue, name: str = "") -> Iterator[tuple[str, JsonValue]]:
    """The members at any depth that hold a text, a number or a truth value."""
    if isinstance(value, dict):
        for own, one in value.items():
            yield from _members(one, own)
    elif isinstance(value, list):
        for one in value:
            yield from _members(one, name)
    else:
        yield name, value


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _packed(texts: Iterable[str]) -> str:
    """Without what a judge may write otherwise."""
    return "\0".join(map(_pack, texts))


def _spaceless(text: str) -> str:
    return _SPACE.sub("", text).casefold()


def _pack(text: str) -> str:
    plain = _CHANGED.sub("", unicodedata.normalize("NFKC", text)).replace("=", ":").replace(";", ",").casefold()
    return _LAST_COMMA.sub("", plain)
