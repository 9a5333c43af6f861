"""Where the thinking of a response ends: nothing before that place counts as its answer.

Thinking stands between ``<think>`` and ``</think>`` or another pair of the table below. The opening tag may be
missing where the chat template wrote it. A tag that is opened and never closed leaves no answer at all; tags of
another pair inside it do not end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import itemgetter

from trueward.wire.sample import THINKING_PARTS, Message, Sample

# what a pair's tags begin with, and both tags as one pattern whose group `close` matches in the closing one alone
_PAIRS = tuple(
    (lead, re.compile(pattern, re.IGNORECASE))
    for lead, pattern in (
        ("<", r"<\s?(?P<close>/)?\s?(?P<kind>think|thought|reasoning|scratchpad|seed:think)(?:ing)?\s?>"),
        ("<|", r"<\|(?:begin|(?P<close>end))_of_(?P<kind>thought)\|>"),
        ("<|c", r"<\|channel\|>(?:analysis|commentary|(?P<close>final))\b(?:[^<]{0,40}(?P<kind><\|message\|>))?"),
        ("[", r"\[(?P<close>/)?(?P<kind>think)\]"),
        ("◁", r"◁(?P<close>/)?(?P<kind>think)▷"),
    )
)
_UNKNOWN = "?"
SEPARATED = ("reasoning_content", "reasoning", "thinking")


def answer_start(text: str, *, opened: str | bool) -> int | None:
    """The position after the last closing tag (0 without tags), or None: the thinking never ended.

    ``opened`` says that the text begins inside thinking: True, or what :func:`leaves_open` found. Linear.
    """
    inside = opened if isinstance(opened, str) else _UNKNOWN * opened
    start = 0
    for _, end, close, pair in _tags(text):
        if close is None:
            inside = inside or pair
        elif inside in ("", _UNKNOWN, pair):
            inside, start = "", end
    return None if inside else start


def leaves_open(prefix: str | None) -> str:
    """The pair that a generation prefix leaves open; empty where it ends outside thinking."""
    inside = ""
    for _, _, close, pair in _tags(prefix or ""):
        if close is None:
            inside = inside or pair
        elif inside == pair:
            inside = ""
    return inside


def find_open_pair(sample: Sample) -> str:
    """The pair that is open where the response begins; empty where its thinking was separated by the server."""
    if not sample.prefix or sample.reasoning is not None or _separated(sample.response):
        return ""
    return leaves_open(sample.prefix)


def _separated(response: str | list[Message] | None) -> bool:
    """True where the policy's messages carry their thinking in a field or part of its own."""
    if not isinstance(response, list):
        return False
    for message in response:
        extra = message.model_extra or {}
        parts = message.content if isinstance(message.content, list) else []
        if message.is_policy and (
            any(extra.get(name) is not None for name in SEPARATED)
            or any(isinstance(part, dict) and part.get("type") in THINKING_PARTS for part in parts)
        ):
            return True
    return False


def _tags(text: str) -> Iterable[tuple[int, int, str | None, str]]:
    """Each tag in order: where it starts and ends, what makes it a closing one, the name of its pair."""
    if "<" not in text and "[" not in text and "◁" not in text:
        return ()
    found: list[tuple[int, int, str | None, str]] = []
    for lead, pattern in _PAIRS:
        if lead in text:
            # a policy writes a hundred thousand of them
            for tag in pattern.finditer(text):
                close, kind = tag.group("close", "kind")
                found.append((*tag.span(), close, lead + kind.lower() if lead == "<" else lead))
    return sorted(found, key=itemgetter(0))
