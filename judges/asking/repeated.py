"""Whether a reply decides by an object that the response wrote and the judge repeats.

A small model that is shown an object of the form in what it judges writes it down again, and a large one may quote it
and say no more. Such an object is the response's decision, not the judge's: where every object of a reply stands to the
letter in what is judged, the reply decides nothing. Those that are not of the form, and those in its thinking, do not
count. So it is with a reply in words that names its label (``Verdict: correct``); a label alone stands in many honest
responses. What the question or a reference has as well is not the response's, so it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from judges.asking.lenient import standing
from judges.asking.reply import Form, strip_thinking
from judges.questions import Turn

_FENCE = re.compile(r"⟦([^⟦⟧\s]{1,64}(?: [^⟦⟧\s]{1,64})?) ([0-9a-f]{12})⟧\n(.*?)\n⟦/\1 \2⟧", re.DOTALL)
_GIVEN = re.compile(r"(?:QUESTION|REFERENCE|PRINCIPLE|DOCUMENT|CRITERI\w+|ITEM|SYSTEM|USER|TOOL)\b")
"""Material that no response wrote."""
_SPACE = re.compile(r"\s+")


def is_repeated(text: str, prompt: Sequence[Turn], form: Form) -> bool:
    """Whether all objects of the form that stand in a reply stand in what is judged."""
    text = strip_thinking(text) or ""
    everything = standing(text).objects
    objects = [one for one in everything if form.fits(one.value)] or everything  # rows stand without their object
    words = text if ":" in text else ""
    own: list[str] = []
    given: list[str] = []
    for turn in prompt:
        for name, _, body in _FENCE.findall(turn.content):
            (given if _GIVEN.match(name) else own).append(body)
        given.append(_FENCE.sub("", turn.content))
    written, told = _packed(own), _packed(given)
    decisive = [text[one.start : one.end] for one in objects] or [words]
    packed = [_packed([one]) for one in decisive if one]
    return bool(packed) and all(one in written and one not in told for one in packed)


def _packed(texts: Iterable[str]) -> str:
    """Without whitespace, case and the backslash before a quote, which a judge may write otherwise."""
    return "\0".join(_SPACE.sub("", one).replace('\\"', '"').casefold() for one in texts)
