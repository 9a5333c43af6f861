"""Which rules find the answer of a response, in which order.

A rule takes the response after its thinking and gives an answer, the reason why there is none (that ends
the search), or None (the next rule goes on). After a denial the next rules see only what follows it. A new
rule is a function of that shape and a line here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

from trueward.wire.sample import Sample
from verifiers.extract.answer import DENIED, Answer, Denied, NoAnswer
from verifiers.extract.boxed import find_boxed
from verifiers.extract.denial import find_retraction
from verifiers.extract.last_expression import last_expression
from verifiers.extract.marker import marker
from verifiers.extract.reading import reading
from verifiers.extract.tag import tag
from verifiers.extract.thinking import answer_start, find_open_pair
from verifiers.legible import legible

Rule = Callable[[str], Answer | NoAnswer | Denied | None]
LONGEST_WHOLE = 10_000
_SAYS_NOTHING = " \t\r\n.,;:!?。*_`"


class Policy(StrEnum):
    """``math`` and ``text`` try several rules in order; the others are one rule alone."""

    MATH = "math"
    TEXT = "text"
    BOXED = "boxed"
    TAG = "tag"
    MARKER = "marker"
    LAST_EXPRESSION = "last_expression"
    WHOLE = "whole"


def whole(text: str) -> Answer | NoAnswer:
    """The whole response after its thinking."""
    if len(text) > LONGEST_WHOLE:
        return NoAnswer("answer_too_long", f"an answer holds at most {LONGEST_WHOLE} characters")
    start = len(text) - len(text.lstrip())
    inner = text.strip()
    return Answer(inner, "whole", (start, start + len(inner)))


def find_declared(text: str) -> Answer | NoAnswer | Denied | None:
    r"""The answer that a response sets apart: its last box or its last ``<answer>``, whichever ends later.

    A box inside the tag is the tag's answer. So ``\boxed{3} ... <answer>5</answer>`` says 5.
    """
    box, tagged = find_boxed(text), tag(text)
    if box is None or tagged is None:
        return box or tagged
    if isinstance(box, Denied) and isinstance(tagged, Denied):
        return Denied(max(box.rest, tagged.rest))
    return tagged if _end(tagged) > _end(box) else box


def _end(found: Answer | NoAnswer | Denied) -> int:
    if isinstance(found, Denied):
        return -1  # the other one says what the answer is
    return found.span[1] if found.span else 0


RULES: dict[Policy, tuple[Rule, ...]] = {
    Policy.MATH: (find_declared, marker, last_expression),
    Policy.TEXT: (find_declared, marker, whole),
    Policy.BOXED: (find_boxed,),
    Policy.TAG: (tag,),
    Policy.MARKER: (marker,),
    Policy.LAST_EXPRESSION: (last_expression,),
    Policy.WHOLE: (whole,),
}


def extract(sample: Sample, policy: Policy | Sequence[Policy]) -> Answer | NoAnswer:
    """The final answer of a response under a policy, or under several in order. Linear in its length; never raises."""
    original = legible(sample.response_text)
    read = reading(original)
    start = answer_start(read.text, opened=find_open_pair(sample))
    if start is None:
        return NoAnswer("unclosed_thinking", "the thinking is not closed: there is no answer after it")
    rules = RULES[policy] if isinstance(policy, Policy) else [rule for one in policy for rule in RULES[one]]
    said = read.text[start:] if start else read.text
    # what reads the whole text compares its marks too
    seen = said if whole in rules else blank_markup(said)
    found = _first(seen, rules)
    if found.span is None or (not start and read.text is original):
        return found
    span = read.original((found.span[0] + start, found.span[1] + start))
    if isinstance(found, NoAnswer):
        return NoAnswer(found.reason_code, found.reason, span)
    spelled = found.parts or found.text != seen[slice(*found.span)]
    text = found.text if spelled else original[slice(*span)]
    return Answer(text, found.rule, span, found.parts, found.labels, found.candidates)


def _first(text: str, rules: Sequence[Rule]) -> Answer | NoAnswer:
    if not text.strip():
        return NoAnswer("no_answer", "nothing follows the thinking")
    denied = False
    for rule in rules:
        found = rule(text)
        if isinstance(found, Denied):
            # positions stay what they are
            text, denied = " " * found.rest + text[found.rest :], True
            if not text.strip(_SAYS_NOTHING):
                break
        elif isinstance(found, Answer) and found.span and (rest := find_retraction(text, found.span[1])):
            text, denied = " " * rest + text[rest:], True
        elif found is not None:
            return found
    if denied:
        return NoAnswer("denied_answer", DENIED)
    return NoAnswer("no_answer", "no rule of extraction found an answer in the response")


_STRUCK = re.compile(
    r"(?<![\w$\\}~])~~(?=[^\s~])[^~\n]{1,200}(?<=\S)~~(?![\w$\\~])|<(?P<name>s|del|strike)>[^<\n]{0,200}</(?P=name)>",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"<(?P<slash>/?)(?P<name>b|p|i|u|em|strong|span|div|code|center|h[1-6])(?:\s[^<>]{0,80})?>", re.IGNORECASE
)
_BREAK = re.compile(r"<br\s?/?>|&nbsp;", re.IGNORECASE)


def blank_markup(text: str) -> str:
    r"""The text, as long as before, with blanks where something was struck out or a tag of HTML stood.

    ``~~43~~ 42`` says 42. Two ties of LaTeX within a formula (``5~~\text{cm}``) strike nothing out; ``a<b>c`` is no
    tag.
    """
    if "~~" in text or "<" in text:
        text = _STRUCK.sub(_blank, text)
    if "</" in text:
        closed = {found["name"].lower() for found in _TAG.finditer(text) if found["slash"]}
        text = _TAG.sub(lambda found: _blank(found) if found["name"].lower() in closed else found[0], text)
    return _BREAK.sub(_blank, text) if "<" in text or "&" in text else text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
