r"""Answers in several parts: ``x = \boxed{1}, y = \boxed{2}``, ``$1$ and $2$``.

Two stretches of a text are side by side where nothing but layout, ``,``, ``;``, ``/``, "and", "or" (in several
languages, "or maybe" too), a unit or the name of the next part (``y =``, ``(b)``) stands between them. An ``=``
without a name joins nothing. Two boxes of one sentence are also one answer in parts where both are counted or named
(``\boxed{1} paper and \boxed{2} bins``, ``the least is \boxed{1} and the largest is \boxed{2}``), and where an "or"
makes them alternatives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from verifiers.extract.answer import Answer

Span = tuple[int, int]

_WORD = r"(?:and|or|und|oder|et|ou|y|o|e|и|или|as well as|maybe|perhaps|possibly|alternatively)(?![^\W\d_])"
_ALSO = r"(?:\s(?:also|else|even|maybe|perhaps|possibly|alternatively)(?![^\W\d_]))?"
_CJK = r"[和或与及、]|以及|或者|또는|または"
_LAYOUT = r"[ \t\n$&*_`~|>]|\\[()\[\],;:! \\]|\\q?quad(?![a-z])"
_UNIT = r"°|\\?%|\^\{?\\circ\}?|\\(?:text|mathrm)\{[^\W\d_]{1,10}\}"
_AND = rf"\\(?:text|mbox|textrm)\{{[ ,~]{{0,3}}{_WORD}[ ,~]{{0,3}}\}}"
_NAME = r"(?:\\[a-z]{2,7}|[^\W\d_]{1,12}\d{0,2})(?:_\{?\w{1,4}\}?)?(?:\(\w\))?[ \t]{0,3}(?:&[ \t]?)?(?:=|:(?!=))"
_BULLET = (
    r"(?<=\n)(?:[-•]|\d{1,2}[.)])(?=\s)|\([a-z\d]{1,3}\)"
    r"|(?:answer|option|case|part|possibility|guess|candidate|choice|question|root|solution)"
    r"[ \t]?#?(?:\d{1,2}|[a-e]|i{1,3})[*_]{0,2}[ \t]?[:=]"
)
_JOINT = re.compile(rf"(?:{_LAYOUT}|[,;/]|{_NAME}|{_WORD}|{_CJK}|{_UNIT}|{_AND}|{_BULLET})*+", re.IGNORECASE)
# "hours =" between two boxes names nothing: it says that they are equal
_CHAINED = re.compile(r"[ \t$]*[^\W\d_]{2,12}[ \t]*=")
# words that correct what stands before them, and such as go on to another answer
_BETTER = r"(?:precisely|exactly|accurately|rather|better|not|no|actually|instead|more|equivalently)"
_ONWARD = (
    rf"(?:{_BETTER}|so|thus|hence|therefore|then|now|but|yet|which|that|this|these|it|i|we|you|here|there|because|since"
    r"|gives?|giv(?:en|ing)|gets?|got|yield\w*|makes?|means?|becomes?|substitut\w+|plug\w+|simplif\w+|final\w*|answers?"
    r"|results?|solutions?|total|sum|overall|altogether)"
)
_IS = r"(?:is|are|was|were|has|have|had|costs?|weighs?|scores?|needs?|wants?|sells?|buys?|takes?|earns?|equals?|=|:)"
_ENDS = r"(?![^\W\d_])"
_PLAIN = rf"(?!(?:{_ONWARD}|{_WORD}){_ENDS})[^\W\d_]{{1,20}}"
_NOUN = rf"(?!(?:{_IS}|if|for|when){_ENDS}){_PLAIN}"
_CASE = (
    r"(?:(?:and|but)[ \t])?(?:(?:if|when)[ \t][^\n.;]{1,60}?,|otherwise,?|else,?)"
    rf"(?=[ \t]*(?:{_PLAIN}[ \t]+){{0,3}}(?:{_IS}[ \t]*)?\$?\Z)"
)
_ALIKE = re.compile(
    rf"[$*)}}]{{0,4}}(?:[ \t$]+{_NOUN}){{0,3}}(?:[ \t$]+(?:if|for|when)[ \t][^\n.,;]{{1,40}}?)?[ \t$]*"
    rf"(?:[,;][ \t]*{_WORD}|{_WORD}|[,;]|\([a-z\d]{{1,3}}\)|[,;.][ \t]*{_CASE})"
    rf"(?:[ \t$]+(?:{_PLAIN}[ \t]+){{1,4}}{_IS})?[ \t$*:(]*",
    re.IGNORECASE,
)
_EITHER = re.compile(
    rf"[$*)}}]{{0,4}}(?:[ \t,]+{_PLAIN}){{0,3}}[ \t,$]+(?:or|oder|ou|o)"
    rf"(?:[ \t,]+(?!{_BETTER}{_ENDS})[^\W\d_]{{1,20}}){{0,6}}[ \t$*:(]*",
    re.IGNORECASE,
)
_LONGEST_SAID = 100
"""Characters of such words between two boxes."""
_LISTED = re.compile(rf"[ \t*_]*(?:(?P<comma>[,;、])[ \t*_]*)?(?:{_WORD}{_ALSO}|{_CJK})?[ \t*_]*", re.IGNORECASE)
_LABEL = re.compile(rf"(?<![\w\\])(?P<name>{_NAME})[\s$*]{{0,9}}\Z", re.IGNORECASE)
_LABEL_REACH = 40


def side_by_side(text: str, start: int, end: int) -> bool:
    """True where what stands between two boxes joins them."""
    if _JOINT.fullmatch(text, start, end) is not None:
        return _CHAINED.fullmatch(text[start:end].rstrip(" $")) is None
    said = text[start:end]
    return len(said) <= _LONGEST_SAID and bool(_ALIKE.fullmatch(said) or _EITHER.fullmatch(said))


def is_listed(text: str, start: int, end: int, *, by_word: bool = False) -> bool:
    """True where a comma or a word on one line, or (``by_word``) a word, joins two stretches of mathematics."""
    found = _LISTED.fullmatch(text, start, end)
    if found is None:
        return False
    return bool(found[0].strip(" \t*_,;" if by_word else " \t*_"))


def label(text: str, start: int) -> str:
    """The name before a part, such as ``x`` of ``x = ``; empty where there is none."""
    before = text[max(0, start - _LABEL_REACH) : start]
    found = _LABEL.search(before) if before.rstrip(" \t\n$*").endswith(("=", ":")) else None
    return found["name"].rstrip("=:& \t") if found else ""


def answer_of(
    text: str, rule: str, spans: Sequence[Span], labels: tuple[str, ...] = (), candidates: tuple[str, ...] = ()
) -> Answer:
    """One answer of spans in order, at least one: in parts, unless they all say the same without names."""
    last = spans[-1]
    if len(set(candidates)) < 2:
        candidates = ()
    if len(spans) > 1:
        parts = tuple(text[slice(*span)].strip() for span in spans)
        if len(set(parts)) > 1 or len(set(labels)) > 1:
            end = last[1] - len(text[slice(*last)]) + len(text[slice(*last)].rstrip())
            named = labels if any(labels) else ()
            return Answer(", ".join(parts), rule, (spans[0][0], end), parts, named, candidates)
    return Answer(text[slice(*last)], rule, last, candidates=candidates)
