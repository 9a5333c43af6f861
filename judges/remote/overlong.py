"""Whether another server says that a text is too long for its model, and how long it was and may be.

Servers say it in words of their own, some with a status of 5xx, which would be waited out otherwise. Codes and words
count. Words may repeat what a policy wrote: whoever makes them say this gains nothing, for a harmless response in its
place tells whose doing it is.
"""

from __future__ import annotations

import re

_CODES = frozenset({"context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded"})
_SAID = re.compile(
    r"maximum (?:context|model|prompt) length|context (?:length|window|size) is"
    r"|context[_ ](?:length|window|size)[_ ]exceed"
    r"|(?:longer|greater|larger|more) than (?:the )?(?:model's |maximum )?(?:context|model) (?:length|size|window)"
    r"|exceed(?:s|ed)? (?:the |this |your )?(?:model'?s? |available |configured )?"
    r"(?:context|token limit|limit of [\d,]+|max(?:imum)? (?:allowed )?(?:context|input|length|size|number of))"
    r"|(?:prompt|input)s?`? (?:is |are )?too long\b|too many (?:input )?tokens|input tokens exceed|token limit exceeded"
    r"|prompt has [\d,]+ tokens, but|too large for (?:the )?model\b"
    r"|reduce the length of (?:the|your) (?:messages|prompt|input)"
    r"|must have less than [\d,]+ tokens|tokens`? \+ `?max_(?:new_)?tokens`? must be"
    r"|maximum input length is|range of input length|current length is [\d,]+ while limit is",
    re.IGNORECASE,
)
_LATER = re.compile(r"\bwait\b|try again|\bper (?:second|minute|hour|day)\b|rate.?limit|throttl", re.IGNORECASE)
"""What is said of a limit that time cures."""
_LIMIT = re.compile(
    r"(?:(?:length|size|window)(?: is| of)?(?: only)? ?\(?|less than |limit(?: is| of|:)? ?"
    r"|number of tokens allowed \(?|tokens > |model with |must be <= ?|should be \[\d+, ?)([0-9]{1,9})\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b[0-9]{1,9}\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")


def is_overlong(words: str, codes: tuple[str, ...] = ()) -> bool:
    """Whether an error's words, or its code or type, say so."""
    if any(code in _CODES for code in codes):
        return True
    return _SAID.search(words) is not None and _LATER.search(words) is None


def lengths(words: str) -> tuple[int, int]:
    """How many tokens there were and how many there may be, as far as the words tell: 0 where they do not."""
    plain = _THOUSANDS.sub("", words)
    longest = max(map(int, _COUNT.findall(plain)), default=0)
    return longest, min(map(int, _LIMIT.findall(plain)), default=0)
