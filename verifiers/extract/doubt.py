r"""Sentences that hold a value and do not claim it: ``it would be wrong to say that the answer is 42``.

A clause that denies, doubts, supposes or ascribes to others what it goes on to say, however far from the value; a
value under a condition that is not met (``the answer would be 42 if``); a question (``42?``); a sentence after the
value that rejects it (``42. That is wrong.``). A clause ends at a comma or a word such as *so*, so ``since x is not
negative, we get 42`` claims 42. ``The answer would be 42`` alone is an answer, and so is what is not wrong to say.
Bounded: :data:`REACH` characters on either side.
"""

from __future__ import annotations

import re
from functools import lru_cache

REACH = 240
"""Characters before and after a value that are looked at."""

_SAY = (
    r"(?:say|think|believe|claim|confirm|guarantee|agree|accept|suppose|assert|conclude|assume|write|choose|pick|select"
    r"|state|mean|imply|promise|be\s(?:sure|certain))"
)
_NEVER = r"(?:(?<!\w)(?:not|never|cannot)|n['’ ]t)"
_MISTAKE = r"(?:mistake|error|lie|misconception|fallacy)"
_UNTRUE = (
    r"(?<!\bnot\s)(?<!n['’ ]t\s)(?<!\bnever\s)(?<!\bno\s)(?<!\bhardly\s)(?<!\w)"
    rf"(?:false|untrue|incorrect|wrong|unlikely|unclear|uncertain|unsure|doubtful|dubious|implausible|impossible|{_MISTAKE})"
)
_THAT = rf"\s(?:(?:is|was|would\sbe)\s)?(?:that|whether|if|to\s(?:{_SAY}|answer))(?!\w)"
_OTHERS = (
    r"(?:people|students|beginners|some|many|most|others|someone|somebody"
    r"|my\s(?:friend|teacher|colleague|classmate|neighbou?r|brother|sister)s?)"
)
# a clause that takes back beforehand what it goes on to say
_UNCLAIMED = re.compile(
    rf"{_NEVER}(?!\s(?:only|just|wrong|incorrect|false|hard|difficult|unreasonable|surprising)\s)"
    rf"\s(?:\w{{1,12}}\s){{0,3}}?{_SAY}(?!\w)"
    rf"|{_NEVER}\s(?:\w{{1,12}}ly\s)?(?:sure|certain|true)(?!\w)(?!,)"
    rf"|{_NEVER}\s(?:\w{{1,12}}\s){{0,5}}the\scase\sthat(?!\w)"
    rf"|{_NEVER}\s(?:\w{{1,12}}\s){{0,3}}(?:be(?:\sequal\sto)?|equal)\W{{0,8}}\Z"
    # what x cannot be may be asked for, what the answer cannot be is not
    r"|(?<!\w)(?:answer|result|solution|total)\s(?:\w{1,15}\s){0,6}?(?:not|never|cannot|\w{2,6}n['’]t)\s(?:\w{1,12}\s){0,3}?"
    r"(?:be|equal)\s(?:is|was)(?!\w)"
    r"|(?<!\w)last\s(?:thing|number|value)\s(?:that\s)?(?:it|this|(?:the|my|our)\s(?:\w{1,12}\s)?(?:answer|result|solution))\s"
    r"(?:could|can|would|will|should)\s(?:\w{1,12}\s)?(?:be|equal)(?!\w)"
    rf"|{_UNTRUE}{_THAT}"
    r"|(?<!\w)(?:no(?:body|[\s-]one)|under\sno\scircumstances?|in\sno\s(?:way|case)|no\sway)(?!\w)"
    r"(?!\s(?:\w{1,12}\s)?(?:doubt|den[yi]|disput))"
    r"|(?<!no\s)(?<!not\s)(?<!n['’ ]t\s)(?<!any\s)(?<!out\s)(?<!out\sa\s)(?<!beyond\s)(?<!nd\sa\s)(?<!\w)"
    r"doubt\s(?:\w{1,12}\s){0,4}(?:that|whether|if|it)(?!\w)"
    rf"|(?<!\w)(?:refuse[sd]?|decline[sd]?|hesitate[sd]?)\sto\s{_SAY}(?!\w)"
    rf"|(?<!\w){_OTHERS}\s(?:\w{{1,12}}\s){{0,2}}?(?:say|think|claim|believe|argue|assume|guess|answer|choose|pick)s?(?!\w)"
    r"|(?<!\w)(?:suppose|supposing|assume|assuming|imagine|unless|whether|if)\s(?:that\s)?(?:the|our|my)"
    r"\s(?:\w{1,12}\s){0,2}answer(?!\w)"
    r"|(?<!\w)(?:to\s(?:a\sdifferent|another)\s(?:question|problem)|used\sto\sbe)(?!\w)"
    r"|(?<!\w)(?:answer|it|this|that)\s(?:might|may|could)\s(?:\w{1,12}\s)?(?:be|equal)(?:\sequal\sto)?\W{0,8}\Z"
    r"|(?<!\w)(?:answer|result|it|this|that)\s(?:would|could|might)\shave\s(?:been|equalled)(?!\w)|would\shave\sgiven(?!\w)"
    r"|(?<!\w)(?:glaube|denke|stimmt)\snicht|nicht\sder\sfall|(?<!\w)falsch,?\sdass"
    r"|(?<!\w)ne\s(?:pense|crois)\spas|(?<!\w)no\s(?:creo|pienso)\sque|不认为|不相信|不可能|并非",
    re.IGNORECASE,
)
_HINTS = (
    "not", "n't", "n’t", "n t ", "never", "no", "false", "untrue", "incorrect", "wrong", "unlikely", "unclear",
    "uncertain", "unsure", "dubious", "implausible", "impossible", "mistake", "error", "lie", "misconception",
    "fallacy", "doubt", "refuse", "decline", "hesitate", "people", "student", "beginner", "some", "many",
    "most", "other", "my ",
    "suppos", "assum", "imagine", "unless", "whether", "if", "question", "problem", "used to", "might", "may", "could",
    "ould have", "last ", "nicht", "falsch", "pas", "不", "并非",
)  # fmt: skip
"""What each pattern of :data:`_UNCLAIMED` has in it, in lower case."""
_CLAUSE_END = re.compile(
    r"[.!?;:\n。；：！？]|[,，](?!\s(?:dass|que|that|che)\b)|\b(?:so|hence|thus|therefore|but|because|since|then)\b(?!\s?far)",
    re.IGNORECASE,
)
_LAYOUT = " \t\r\n$*_`\"'\\([{&=:<>"
_SENTENCE_END = re.compile(r"[.!?。！？][\s*_]|\n")
# a condition after what would be so, and the facts that differ
_WOULD = re.compile(
    r"(?:(?<!\w)(?:answer|result|solution|option|choice|it|that|this|you|we|i)(?:\swould|['’]d)\s(?:\w{1,12}\s)?(?:be|equal|get|have|obtain)"
    r"|(?<!\w)(?:wäre|serait|sería|seria|sarebbe))(?![^\W\d_])[^.!?;\n]{0,24}\Z",
    re.IGNORECASE,
)
_WOULD_HINTS = ("ould", "'d", "’d", "wäre", "serait", "sería", "seria", "sarebbe")
_CONDITION = re.compile(
    r"[^.!?\n]{0,80}?(?<!\w)(?:if|unless|were|had|but|however|though|wenn|falls|si|se)(?!\w)", re.IGNORECASE
)
_SAME = ("same", "same answer", "same result", "same answer:", "same result:", "same answer of")
# what leads to an aside: "Note: if it were closed, ..."
_ASIDE = (
    r"[*_(]{0,3}(?:(?:(?:side\s)?notes?|remarks?|however|but|also|incidentally|alternatively|conversely|of\scourse"
    r"|(?:in|by)\scontrast|for\scomparison|on\sthe\sother\shand|n\.?b|p\.?s)[*_]{0,3}[.:,]?[*_]{0,3}\s{1,3}"
    r"|(?:please\s)?note\sthat\s)?"
)
_UNREAL = re.compile(
    rf"\s*{_ASIDE}(?:(?:were|had)\s(?:it|we|i|you|this|that|there|the)(?!\w)|if\s[^,]{{1,100}}\s(?:were|had)\s"
    r"|if\s(?:you|we|one|i|someone|somebody|they|he|she|it)\s(?:(?:\w{1,12}ly|just|instead|only)\s)?"
    r"(?:(?!need)\w{2,12}ed|did|took|put|made|went|chose|drew|left|forgot|began|gave|kept|found|ran)(?!\w))",
    re.IGNORECASE,
)
_CASE = re.compile(r"\s*(?:if|when|for|in\scase)\s[^,]{1,100},", re.IGNORECASE)
_OTHER_CASE = re.compile(
    r"[\W_]{0,6}?(?:[;,]\s(?:and\s|but\s)?(?:if|when|otherwise|else)|\.\s(?:otherwise|else))(?!\w)", re.IGNORECASE
)
_AROUND = r"[)\]}>$*_`\"'\\]{0,9}(?:</[a-z_ ]{1,14}>)?[*_`\"')]{0,4}"
_ASKED = re.compile(
    rf"{_AROUND}\s?\?(?!\s{{0,3}}[*_]{{0,3}}(?:yes|yep|right|correct|exactly|indeed|true|of\scourse)(?!\w))",
    re.IGNORECASE,
)
# it asks for a value, and not whether it is this one
_OPEN_QUESTION = re.compile(r"\W*(?:what|which|how|why|who|where|when)(?!\w)", re.IGNORECASE)
_WRONG = (
    r"(?:(?:a\s)?(?:wrong|incorrect|false|mistaken|mistake|typo|lie|joke)"
    r"|not\s(?:right|correct|true|the\s(?:\w{1,12}\s)?answer|it))"
)
_REJECTED = re.compile(
    rf"{_AROUND}(?:"
    # the next sentence says so
    r"[.!…,]{0,3}\s{1,3}(?:(?:hmm+|hm|oops|sorry|but|no|wait|however|actually|unfortunately)[,.!…]{0,3}\s)?"
    r"(?:that|this|it|(?:that|this|the(?:\s(?:above|previous|last))?)\s(?:answer|value|result|above))"
    rf"(?:['’]s|\sis|\swas|\slooks|\sseems)\s(?:\w{{1,12}}ly\s)?{_WRONG}(?:[.!,;:)\n]|\Z)"
    r"|[.!…]{1,4}\s?(?:no|not|nope)[.!…]{0,3}[ \t]*(?:\n|\Z)"
    # a sign or a word in brackets
    r"|\s?[(\[]?(?:[✗✘❌×]|(?:wrong|incorrect|false|not)(?=[)\]]))"
    # "the claim that the answer is 42 is false"
    r"|\s(?:is|was)\s(?:wrong|incorrect|false|untrue|not\s(?:true|correct|right))(?=[.!,;\n]|\Z)"
    # what it is the answer to
    r"|\s(?:would|could|might)\s(?:\w{1,12}\s)?be\s(?:(?:the|an?|my)\s(?:\w{1,12}\s)?(?:answer|result|solution)|right|correct"
    r"|true)\s(?:only\s)?(?:if|unless|had|were|when)\s"
    r"|\sis\swhat\s[^.\n]{0,60}?(?:by\smistake|mistaken|wrong|careless|hasty|na[iï]ve)"
    r")",
    re.IGNORECASE,
)
# on the same line: "5, which is wrong"
_REJECTED_BESIDE = re.compile(
    r"[)\]}$*_`\\]{0,4}[ \t]?[,;–—-]{1,2}[ \t]?(?:(?:but|and|though|yet|however),?\s)?"
    r"(?:which|that|this|it|(?:that|this|the)\sanswer)"
    r"(?:['’]s|\s(?:is|was|would\sbe))\s(?:\w{1,12}ly\s)?(?:(?:a\s)?(?:wrong|incorrect|false|mistaken|impossible|typo|mistake)"
    r"|not\s(?:right|correct|true|the\s(?:\w{1,12}\s)?answer|possible|allowed|valid))[ \t]?(?:[.!,;:)\n]|\Z)",
    re.IGNORECASE,
)
_CROSSES = ("✗", "✘", "❌")
_VALUE = re.compile(r"\s*[(\[]?[A-Za-z][)\].]?\??\s*\Z|[^\d\\]{0,200}[\d\\]")


def is_unclaimed(text: str, start: int, end: int) -> bool:
    """Whether what stands around ``text[start:end]`` does not claim it: denied, doubted, asked or rejected."""
    before = _before(text, start)
    if _unclaims_next(before) or _REJECTED_BESIDE.match(text, end) is not None:
        return True
    if _VALUE.match(text, start, end) is None:
        return False  # "Answer: Quo vadis?" asks nothing, and "No. That is false." denies nothing
    after = text[end : end + REACH]
    asked = text[start:end].rstrip().endswith("?") or _ASKED.match(after) is not None
    if asked and not _OPEN_QUESTION.match(_last_part(_SENTENCE_END, before)):
        return True
    return _REJECTED.match(after) is not None


def is_supposed(text: str, start: int, end: int) -> bool:
    """Whether the value is that of a case that is not the one in question, or of one of several cases."""
    before = _before(text, start)
    after = text[end : end + REACH]
    if _supposes_next(before):
        return _CONDITION.match(after) is not None or _UNREAL.match(_last_part(_SENTENCE_END, before)) is not None
    return _OTHER_CASE.match(after) is not None and _CASE.match(_last_part(_SENTENCE_END, before)) is not None


# a policy leads to its answers in the same words: those of the latest are not looked at again
@lru_cache(maxsize=1024)
def _unclaims_next(before: str) -> bool:
    """Whether a clause does not claim what follows it."""
    if before.endswith(_CROSSES):
        return True
    lowered = before.lower()
    # most values have none of these words before them, and words are looked for faster than clauses
    hinted = any(map(lowered.__contains__, _HINTS))
    return hinted and _UNCLAIMED.search(_last_part(_CLAUSE_END, before)) is not None


@lru_cache(maxsize=1024)
def _supposes_next(before: str) -> bool:
    """Whether a clause says what follows it of what would be."""
    hinted = any(map(before.__contains__, _WOULD_HINTS))
    return hinted and _WOULD.search(before) is not None and not before.endswith(_SAME)


def _before(text: str, start: int) -> str:
    """The line up to a value, without the layout that the value stands in."""
    return text[max(text.rfind("\n", 0, start) + 1, start - REACH) : start].rstrip(_LAYOUT)


def _last_part(pattern: re.Pattern[str], text: str) -> str:
    end = 0
    for found in pattern.finditer(text):
        end = found.end()
    return text[end:]
