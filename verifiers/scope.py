"""Which part of a response a verifier looks at: its final answer, what follows the thinking, the thinking, or all.

White space at both ends belongs to no part. Linear in the response's length; never raises.
"""

from __future__ import annotations

import re
from enum import StrEnum

from trueward.wire.sample import Sample
from verifiers.extract import Answer, NoAnswer, Policy, extract
from verifiers.extract.thinking import answer_start, find_open_pair
from verifiers.legible import legible

_TAG = re.compile(r"</?think(?:ing)?>", re.IGNORECASE)


class Scope(StrEnum):
    """``final`` is what the extraction policy ``text`` finds; ``answer`` is everything after the thinking."""

    FINAL = "final"
    ANSWER = "answer"
    THINKING = "thinking"
    RESPONSE = "response"


def extract_scope(sample: Sample, scope: Scope) -> Answer | NoAnswer:
    """The part of the response; its rule is the scope's name, or the rule that found the final answer.

    There may be no final answer and nothing after the thinking; thinking may be empty, and is all of a
    response whose thinking never ends.
    """
    if scope is Scope.FINAL:
        return extract(sample, Policy.TEXT)
    text = legible(sample.response_text)
    if scope is Scope.RESPONSE:
        return Answer(text.strip(), scope)
    if scope is Scope.THINKING and sample.reasoning is not None:
        return Answer(legible(sample.reasoning).strip(), scope)
    start = answer_start(text, opened=find_open_pair(sample))
    if scope is Scope.THINKING:
        return Answer(_TAG.sub("", text[:start]).strip(), scope)
    if start is None:
        return NoAnswer("unclosed_thinking", "the thinking is not closed: there is no answer after it")
    answer = text[start:].strip()
    return Answer(answer, scope) if answer else NoAnswer("no_answer", "nothing follows the thinking")
