"""Letters of options in an answer: which of them it names, and which of these only to deny them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise

from verifiers.extract import denial
from verifiers.extract.denial import BESIDE, IS_NOT, RULE_OUT, RULED_OUT, WRONG
from verifiers.extract.policy import blank_markup

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WRAPPERS = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boxed|textrm)(?![A-Za-z])|[{}$*_`\"'~]|\\[()\[\] ,;]")
_LEAD = re.compile(
    r"^(?:(?:the )?(?:correct |right |best |final )?"
    r"(?:solution|conclusion|answer|option|choice|letter|正确答案|答案|选项|选择|选)\s*(?:is|:|是|为)?\s*){1,3}",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"[(\[]?\s?(?P<letter>[A-Za-z])\s?(?:[)\].:,]|$|(?=\s[-–—]\s)|(?=项|选项))\s*(?:[-–—]\s)?(?P<rest>.*)", re.DOTALL
)
# "A cat" and "I think" begin with words, not with options
_WORD = r"\s(?!(?:or|and|nor|is|are|was|were|because|since|seems|over|rather|instead)\b)[a-z]"
_LONE = re.compile(rf"(?<![\w'’])(?:\((?P<a>[A-Z])\)|(?P<b>[AI](?!{_WORD})|[B-HJ-Z]))(?![\w'’])", re.ASCII)
# an apostrophe may have been taken for a quotation mark, and off
_DENIED_BEFORE = re.compile(
    rf"(?:\b(?:not|never|neither|nor|over|{BESIDE}|{RULE_OUT}|eliminat(?:e[ds]?|ing)|dismiss(?:es|ed|ing)?"
    r"|opposite of|contrary of|doubt|might|may|could|at least|at most|before|after|below|above|next to)"
    r"|n['’ ]t|不是|不选|排除|[!¬≠]|\\(?:not|neg|lnot|overline|[bx]?cancel|sout)(?![A-Za-z]))"
    r"(?:\s(?:be|is|choose|pick|select|take))?(?:\s(?:the\s)?(?:options?|choices?|answer|letter))?\s?[(\[]?\Z",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    rf"[)\].:,]?\s?(?:is|was|are|seems|looks|appears|would be|must be|=)(?: to be)?"
    rf"(?:{IS_NOT}|\s(?:an? |the )?(?:{WRONG}|{RULED_OUT}|impossible))\b"
    r"|[)\]]?\s(?:is|seems|looks|appears)\s\w{1,12},?\s(?:(?:but|yet)\s(?:it\sis\s)?|it\sis\s)(?:wrong|incorrect|false|not\b(?!\s\w))"
    r"|[)\]]?\s(?:fails|if|unless|plus|minus)\b|\s?\+"
    r"|[)\].:,]?\s?(?:is|was|are) (?:an? |the )?(?:\w{1,12} )?(?:mistakes?|errors?|traps?|distractors?)\b"
    rf"|[)\]]?\s?[:–—-]\s?{WRONG}\b"
    rf"|[)\].:,]?\s?can(?:not|['’ ]t) be\b|[)\].:,]?\s?can be (?:{RULED_OUT}|dismissed)\b"
    r"|[)）]?(?:错误|不正确|不对)",
    re.IGNORECASE,
)
_JOINED = re.compile(r"\s*(?:(?:,|;|/|&|、|\bor\b|\band\b|\bnor\b|或|和)\s*)+[(\[]?\Z", re.IGNORECASE)
_ALSO = re.compile(
    r"^\s*(?:,|;|/|&|、)?\s*(?:\b(?:or|and|but|also|maybe|perhaps|possibly|either|both)\b\s*|或|和)*"
    r"[(\[]?(?P<letter>[A-Z])"
    r"(?:\s?[)\].,;:]|\s*$|\s(?:is|are|could|may|might|would|both|as well)\b|\s*(?=,|;|/|&|、|\bor\b|\band\b))",
)
_LATER = re.compile(r"\b(?:or|then|finally)\s[(\[]?(?P<letter>[A-Z])(?=\s*(?:[)\].,;:]|$))")
_EXPLICIT = re.compile(
    r"\b(?:options?|choices?|answer)\s(?:is\s)?[(\[]?(?P<a>[A-Z])(?![\w'’])|\((?P<b>[A-Z])\)", re.IGNORECASE | re.ASCII
)
_EXPLAINS = re.compile(r"\s?[,;:(]|\s(?:because|since|as|which|who|that)\b|\s[-–—]\s")
_SET = re.compile(r"[A-Z](?:\s*(?:(?:,|;|/|&|、|\band\b|和)\s*)?[A-Z])+")
_DENIAL_REACH = 60
_SEARCHED = 500


def bare(text: str) -> str:
    """A text without marks and wrappers, full-width and circled letters as plain ones, its lead taken off."""
    text = blank_markup(text if text.isascii() else unicodedata.normalize("NFKC", text))
    return _LEAD.sub("", " ".join(_WRAPPERS.sub(" ", text).split()).strip(" .,:;。，：；、")).strip()


def fold_text(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .,:;")


def read_letters(text: str, letters: AbstractSet[str]) -> frozenset[str]:
    """The options of an answer that is nothing but several letters, such as ``AC`` or ``A, C and D``; else none."""
    if _SET.fullmatch(text) is None:
        return frozenset()
    found = re.findall(r"[A-Z]", text)
    return frozenset(found) if len(set(found)) == len(found) and letters >= set(found) else frozenset()


def find_options(text: str, choices: Mapping[str, str], letters: AbstractSet[str]) -> set[str]:
    """The options that a text names; an option's own text counts where it is the whole text."""
    plain = bare(text)
    if plain in letters:
        return {plain}
    by_text = {letter for letter, option in choices.items() if fold_text(option) == fold_text(plain)}
    by_text = by_text or _explained(plain, choices)
    if by_text:
        return by_text
    leading = _LETTER.fullmatch(plain)
    if leading is not None and leading.span("letter") in _refused(plain, _lone(plain, letters)):
        return find_lone_letters(plain, letters)
    if leading is not None and leading["letter"].upper() in letters:
        return _with_rest(leading["letter"].upper(), leading["rest"], choices, letters)
    return find_lone_letters(plain, letters)


def _explained(plain: str, choices: Mapping[str, str]) -> set[str]:
    """The option whose text the answer begins with, as in ``Paris, the capital``, and all that it names after it."""
    said = fold_text(plain)
    begun = {
        letter
        for letter, option in choices.items()
        if len(own := fold_text(option)) > 2 and said.startswith(own) and _EXPLAINS.match(said, len(own))
    }
    if len(begun) != 1:
        return set()
    rest = said[len(fold_text(choices[next(iter(begun))])) :][:_SEARCHED]
    others = {letter for letter, option in choices.items() if _holds(rest, fold_text(option))}
    named = {match["a"] or match["b"] for match in _EXPLICIT.finditer(plain[:_SEARCHED])}
    return begun | others | {one.upper() for one in named if one and one.upper() in choices}


def _holds(text: str, words: str) -> bool:
    return bool(words) and re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text) is not None


def _with_rest(letter: str, rest: str, choices: Mapping[str, str], letters: AbstractSet[str]) -> set[str]:
    """``B. Paris`` is B, unless the text is that of another option or further options follow."""
    said = fold_text(rest.strip(" .()"))
    own = fold_text(choices.get(letter, ""))
    contrary = {other for other, option in choices.items() if said and fold_text(option) == said} - {letter}
    if contrary:
        return {letter} | contrary
    if own and said.startswith(own):
        rest = rest[len(own) :]
    explicit = [match for match in _EXPLICIT.finditer(rest[:_SEARCHED]) if not is_denied(rest, match.span())]
    later = [match for match in _LATER.finditer(rest[:_SEARCHED]) if not is_denied(rest, match.span("letter"))]
    found = {match["a"] or match["b"] for match in explicit} | {match["letter"] for match in later}
    also = _ALSO.match(rest)
    while also is not None:
        if not is_denied(rest, also.span("letter")):
            found.add(also["letter"])
        rest = rest[also.end("letter") :].lstrip(")]")
        also = _ALSO.match(rest)
    return {letter} | {one.upper() for one in found if one and one.upper() in letters}


def find_lone_letters(text: str, letters: AbstractSet[str]) -> set[str]:
    """The options whose letters stand alone in the text's beginning, those left out that are named to be denied."""
    named = _lone(text, letters)
    refused = _refused(text, named)
    return {text[slice(*span)].strip("()") for span in named if span not in refused}


def _lone(text: str, letters: AbstractSet[str]) -> list[tuple[int, int]]:
    found = _LONE.finditer(text[:_SEARCHED])
    return [match.span() for match in found if (match["a"] or match["b"]) in letters]


def _refused(text: str, spans: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """The letters that are denied; one joined to a denied one by a comma or a word is denied with it."""
    found = {span for span in spans if is_denied(text, span)}
    for one, other in pairwise(spans):
        if one in found and _DENIED_AFTER.match(text, one[1]) is None and _JOINED.fullmatch(text, one[1], other[0]):
            found.add(other)
    after = {span for span in found if _DENIED_AFTER.match(text, span[1])}
    for other, one in pairwise(reversed(spans)):
        if other in after and _JOINED.fullmatch(text, one[1], other[0]):
            found.add(one)
            after.add(one)
    return found


def is_denied(text: str, span: tuple[int, int]) -> bool:
    """Whether a letter is named as what the answer is not."""
    before = text[max(0, span[0] - _DENIAL_REACH) : span[0]]
    if _DENIED_BEFORE.search(before) is not None or _DENIED_AFTER.match(text, span[1]) is not None:
        return True
    return denial.is_denied(text, *span)
