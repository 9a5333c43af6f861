"""Which rules find the answer of a response, in which order.

A rule takes the response after its thinking and gives an answer, the reason why there is none (that ends
the search), or None (the next rule goes on). After a denial the next rules see only what follows it. A new
rule is a function of that shape and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum

from trueward.types import Sample
from verifiers.extract.answer import DENIED, Answer, Denied, NoAnswer
from verifiers.extract.boxed import boxed
from verifiers.extract.declared import declared
from verifiers.extract.last_expression import last_expression
from verifiers.extract.marker import marker
from verifiers.extract.reading import reading
from verifiers.extract.tag import tag
from verifiers.extract.thinking import answer_start, opened
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


RULES: dict[Policy, tuple[Rule, ...]] = {
    Policy.MATH: (declared, marker, last_expression),
    Policy.TEXT: (declared, marker, whole),
    Policy.BOXED: (boxed,),
    Policy.TAG: (tag,),
    Policy.MARKER: (marker,),
    Policy.LAST_EXPRESSION: (last_expression,),
    Policy.WHOLE: (whole,),
}


def extract(sample: Sample, policy: Policy | Sequence[Policy]) -> Answer | NoAnswer:
    """The final answer of a response under a policy, or under several in order. Linear in its length; never raises."""
    original = legible(sample.response_text)
    read = reading(original)
    start = answer_start(read.text, opened=opened(sample))
    if start is None:
        return NoAnswer("unclosed_thinking", "the thinking is not closed: there is no answer after it")
    rules = RULES[policy] if isinstance(policy, Policy) else [rule for one in policy for rule in RULES[one]]
    found = _first(read.text[start:] if start else read.text, rules)
    if found.span is None or (not start and read.text is original):
        return found
    span = read.original((found.span[0] + start, found.span[1] + start))
    if isinstance(found, NoAnswer):
        return NoAnswer(found.reason_code, found.reason, span)
    text = found.text if found.parts else original[slice(*span)]
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
        elif found is not None:
            return found
    if denied:
        return NoAnswer("denied_answer", DENIED)
    return NoAnswer("no_answer", "no rule of extraction found an answer in the response")
