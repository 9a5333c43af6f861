"""Where a response begins and ends in the text that a chat template made.

Trainers decode with special tokens kept, and some send the prompt and the response as one string. Nothing here knows a
particular template: a response is what follows the prompt, without the special tokens at its end.
"""

from __future__ import annotations

import re

_SPECIAL = r"(?:<\|[^|<>]{1,40}\|>|<｜[^｜<>]{1,40}｜>|</?s>|<(?:bos|eos|pad|end_of_turn)>)"
_LEADING = re.compile(rf"^(?:{_SPECIAL}|\s)+")
_LAST = re.compile(rf"{_SPECIAL}\Z")
_MAX_TAIL = 2000


def split_response(query: str, prompt: str) -> str:
    """The response: what follows the prompt, without the special tokens that end it.

    Decoding can change the prompt's start (a BOS token more or less); then both are compared without their
    leading special tokens, and where even that differs the common start is taken off.
    """
    if query.startswith(prompt):
        return without_tail(query[len(prompt) :])
    bare_query, bare_prompt = _LEADING.sub("", query), _LEADING.sub("", prompt)
    if bare_query.startswith(bare_prompt):
        return without_tail(bare_query[len(bare_prompt) :])
    return without_tail(bare_query[_common_start(bare_query, bare_prompt) :])


def without_tail(response: str) -> str:
    """Without the special tokens and white space at its end."""
    head, tail = response[:-_MAX_TAIL], response[-_MAX_TAIL:].rstrip()
    while (start := tail.rfind("<")) >= 0 and _LAST.match(tail, start):
        tail = tail[:start].rstrip()
    return head + tail


def think_prefix(prompt: str) -> str | None:
    """``<think>`` where the chat template opened the tag at the end of the prompt."""
    return "<think>" if prompt.rstrip().endswith("<think>") else None


def _common_start(one: str, other: str) -> int:
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return min(len(one), len(other))
