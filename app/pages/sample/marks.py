"""Where the answer that a verdict was about stands in the response.

The verifiers' own extraction finds it again, and counts where it gives the same text as the verdict's evidence. Else it
is the last place where that text stands alone after the thinking. What is found by neither is not marked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from app.pages.atoms import Span
from trueward.wire.sample import Sample
from verifiers.extract import NoAnswer, Policy, extract
from verifiers.extract.thinking import answer_start, find_open_pair
from verifiers.legible import SHOWN, legible, shorten

_RULES = {policy.value for policy in Policy}


def answer_span(sample: Sample, evidence: Mapping[str, JsonValue]) -> Span | None:
    """Characters of the policy's text. None also for the whole answer, where a mark would tell nothing."""
    text = legible(sample.response_text)
    start = answer_start(text, opened=find_open_pair(sample)) or 0
    found = _matched(text, start, evidence) or _extracted(sample, text, start, evidence)
    if found is None or found[1] - found[0] > SHOWN or "\n\n" in text[slice(*found)]:
        return None
    whole = text[start:].strip()
    return None if text[slice(*found)].strip() == whole else found


def _matched(text: str, start: int, evidence: Mapping[str, JsonValue]) -> Span | None:
    """The match of an expression, whose span counts from where the text that was searched begins."""
    match, span, searched = evidence.get("match"), evidence.get("span"), evidence.get("extracted")
    if not (isinstance(match, str) and isinstance(searched, str) and isinstance(span, list) and len(span) == 2):
        return None
    begin, end = span
    if not (isinstance(begin, int) and isinstance(end, int) and 0 <= begin < end):
        return None
    answer = start + len(text[start:]) - len(text[start:].lstrip())
    for base in (text.rfind(searched, start), answer, len(text) - len(text.lstrip())):
        if base >= 0 and shorten(text[base + begin : base + end]) == match:
            return base + begin, base + end
    return _last(text, match, start)


def _extracted(sample: Sample, text: str, start: int, evidence: Mapping[str, JsonValue]) -> Span | None:
    answer, rule = evidence.get("extracted"), evidence.get("rule")
    if not isinstance(answer, str) or not answer.strip():
        return None
    if isinstance(rule, str) and rule in _RULES:
        found = extract(sample, Policy(rule))
        if not isinstance(found, NoAnswer) and found.span is not None and shorten(found.text) == answer:
            return found.span
    return _last(text, answer, start)


def _last(text: str, wanted: str, start: int) -> Span | None:
    """The last place where it is no part of a longer word or number."""
    alone = re.compile(rf"(?<![\w.]){re.escape(wanted)}(?![\w]|\.\d)")
    places = [found.span() for found in alone.finditer(text, start)]
    return places[-1] if places else None
