r"""The value of a sentence that stands where a value was asked for: ``\text{She has 5 apples left.}``.

A statement with one number alone, and no word that bounds, changes, doubts or denies it; else the sentence has no value
here. The words behind the number are its unit as far as they are one.
"""

from __future__ import annotations

import re

from verifiers.extract.denial import is_denied, is_excluded

LONGEST = 200

_SENTENCE = re.compile(
    r"(?:\\text\s?\{)?(?P<before>[A-Z][a-z']{0,15},?(?: [A-Za-z][a-z']{0,15},?){0,15}:?)\s?\}?\s?"
    r"(?P<value>[-+]?\\?\$?\d{1,12}(?:,\d{3}){0,4}(?:\.\d{1,12})?(?:/\d{1,9})?(?:\s?(?:%|°))?)(?![\d.,:/^]*\d)"
    r"\s?(?:\\text\s?\{)?(?P<after>(?: ?[A-Za-z][a-z]{0,15}(?: [A-Za-z][a-z]{0,15}){0,5})?)\.?\s?\}?"
)
_CHANGING = re.compile(
    r"(?<!\w)(?:no|not|never|none|neither|nor|n't|\w+n't|cannot|without|except|but|or|and|if|unless|might|may|could|would|should"
    r"|maybe|perhaps|about|around|approximately|roughly|nearly|almost|between|from|to|less|more|fewer|greater|smaller|larger"
    r"|least|most|than|under|over|above|below|up|beyond|before|after|until|minus|plus|times|half|twice|double|triple"
    r"|thrice|divided|multiplied|squared|cubed|negative|other|another|each|every|per|wrong|incorrect|false|first|out|of"
    r"|step|question|problem|case|part|base|power|root|square|cube|mod|modulo|factor|factorial|thousand|million"
    r"|billion|hundred|dozen|percent|digit|digits|place|places|divisible|multiple|exceeds|ago|by|instead|rather"
    r"|suppose|assume|assuming|guess|think|believe|wait|actually|used|was|were|had|doubt|unlikely)(?!\w)",
    re.IGNORECASE,
)
# a statement, and no task that is repeated: "Write 0.375 as a fraction"
_STATES = re.compile(
    r"(?!(?:write|find|compute|simplify|evaluate|solve|express|round|convert|calculate|determine|what|how|which|let|given"
    r"|use|show|prove|add|subtract|multiply|divide)\b)(?=.*\b(?:is|are|has|have|takes?|costs?|equals?|gets?|needs?|makes?"
    r"|contains?|gives?|left|earns?|weighs?|scored?)\b)",
    re.IGNORECASE,
)
_MAY = re.compile(
    r"(?<!\w)(?:number|sum|value|product|area|volume|total|amount|length|measure|probability) of(?!\w)", re.IGNORECASE
)


def find_value(text: str) -> str:
    """The number of a sentence with the sign of its unit; empty where the sentence is not clear."""
    found = _SENTENCE.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        return ""
    before = _MAY.sub(" ", found["before"])
    if not _STATES.match(before) or _CHANGING.search(before) or _CHANGING.search(found["after"]):
        return ""
    denied = is_denied(text, *found.span("value")) or is_excluded(text, *found.span("value"))
    return "" if denied else found["value"]
