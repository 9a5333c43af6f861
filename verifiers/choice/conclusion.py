"""The option that a solution in prose ends with: in its last sentence that concludes and names one.

For responses whose final answer names no option by itself: ``Solution: Choice_D - Obtain written consent``,
``Therefore, the correct option is Choice_B: steps 1 and 2 are endothermic``, ``故选 D``. A sentence concludes where it
begins with a label (``Solution:``) or has a word that says so (*therefore*, *the correct answer*, *most likely*). One
that says that none of the options is right ends the search.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from verifiers.choice.letters import fold_text, is_denied

LONGEST = 20_000
"""Characters at a response's end that are read."""

_MOST_SENTENCES, _LAST_SENTENCES = 60, 8
"""Sentences from the end in which a labelled conclusion is looked for, and one without a label."""

_MARKS = re.compile(r"\\(?:text|textbf|mathrm|mathbf|boxed|textrm)(?![A-Za-z])|[{}$*_`\"~]|\\[()\[\] ,;]")
_SENTENCE = re.compile(r"(?<=[!?。！？；])|(?<=[^\s.][.;])\s+(?=[^\sa-z])|\n+")
_LABEL = re.compile(
    r"\W*(?:(?:the\s)?(?:final\s|correct\s|best\s|my\s)?(?:solution|answer|conclusion|choice|result)|解答|答案|结论|答)\s?[:：]\s?",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:therefore|thus|hence|so|conclude|concluded|conclusion|correct|best|right|closest|most|solution|answer|"
    r"choose|select|pick|must be|leaves|leaving|remaining)\b|故|因此|所以|综上|答案|应选|选",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"(?:(?<![A-Za-z])(?:choice|option|answer)s?[\s:]*|选项|选择|选|故选|答案是?[:：]?)\s?[(\[]?(?P<a>[A-Z])(?![A-Za-z0-9'’])"
    r"|(?<![A-Za-z0-9])\((?P<b>[A-Z])\)|(?<![A-Za-z0-9])(?P<c>[A-Z])(?=\s?(?:项|选项))",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:answer|choice|option|solution)\b[^.:,]{0,60}?(?:\bis\b|\bwould be\b|\bmust be\b|:)\s?"
    r"(?:(?:choice|option|answer)[\s:]+)?[(\[]?(?P<a>[A-Z])(?:[)\]]|(?=\s?(?:[.,:;–—-]|$)))",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\s*[)\]]?\s*(?:,|/|&|\bor\b|\band\b)\s*[(\[]?(?P<a>[A-Z])"
    r"(?=\s?(?:[()\].,:;/]|$|[-–—]\s|\s(?:is|are|both|or|and)\b))",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(r"\s*[,;]?\s*(?:or|and)\b", re.IGNORECASE)
_NONE = re.compile(
    r"\b(?:none of|neither of|no (?:correct|single|right|clear|given|listed)\b|"
    r"not (?:among|listed|one of|provided|present|given)\b|"
    r"can(?:not|['’ ]t) (?:be )?(?:determined?|provided?|found|find|chosen?|answer(?:ed)?)\b)|没有(?:正确|一个)",
    re.IGNORECASE,
)


def read_conclusion(text: str, choices: Mapping[str, str], letters: AbstractSet[str]) -> set[str]:
    """The options that the last concluding sentence affirms; none where no sentence concludes with one. Linear."""
    plain = text[-LONGEST:]
    plain = plain if plain.isascii() else unicodedata.normalize("NFKC", plain)
    sentences = [part for part in _SENTENCE.split(_MARKS.sub(" ", plain)) if part.strip()]
    for number, sentence in enumerate(reversed(sentences[-_MOST_SENTENCES:])):
        label = _LABEL.match(sentence)
        if label is None and (number >= _LAST_SENTENCES or _CUE.search(sentence) is None):
            continue
        found = set() if label is None else _labelled(sentence[label.end() :], letters)
        if not found and _NONE.search(sentence):
            return set()
        found = found or _named(sentence, letters) or _by_text(sentence, choices)
        if found:
            return found
    return set()


def _labelled(said: str, letters: AbstractSet[str]) -> set[str]:
    """After a label the option stands first; what follows explains it."""
    said = said.lstrip(" ([")
    first = _OPTION.match(said)
    if first is None or _letter(first) not in letters:
        return set()
    if is_denied(said, first.span()):
        return set()
    found = {_letter(first)}
    end = first.end()
    while (more := _MORE.match(said, end)) is not None and _letter(more) in letters:
        found.add(_letter(more))
        end = more.end()
    rest = said[end:]
    return found | _named(rest, letters) if _ALTERNATIVE.match(rest) else found


def _named(sentence: str, letters: AbstractSet[str]) -> set[str]:
    """The options that a sentence affirms; those alone that it states to be the answer, where it does."""
    return _affirmed(_STATED, sentence, letters) or _affirmed(_OPTION, sentence, letters)


def _affirmed(pattern: re.Pattern[str], sentence: str, letters: AbstractSet[str]) -> set[str]:
    said = set()
    for match in pattern.finditer(sentence):
        if _letter(match) not in letters or not _is_upper(match) or is_denied(sentence, _span(match)):
            continue
        said.add(_letter(match))
        end = match.end()
        while (more := _MORE.match(sentence, end)) is not None and _letter(more) in letters:
            said.add(_letter(more))
            end = more.end()
    return said


def _by_text(sentence: str, choices: Mapping[str, str]) -> set[str]:
    """The option whose own text ends the sentence, the longest where one holds another."""
    said = fold_text(sentence).rstrip(")")
    ending = [
        letter
        for letter, option in choices.items()
        if len(own := fold_text(option)) > 2
        and said.endswith(own)
        and not said[: -len(own)][-1:].isalnum()
        and not is_denied(said, (len(said) - len(own), len(said)))
    ]
    longest = max((len(fold_text(choices[letter])) for letter in ending), default=0)
    return {letter for letter in ending if len(fold_text(choices[letter])) == longest}


def _letter(match: re.Match[str]) -> str:
    return next(group for group in match.groups() if group).upper()


def _is_upper(match: re.Match[str]) -> bool:
    """A small letter counts in brackets alone: "option a" begins a phrase as often as it names one."""
    at = _span(match)[0]
    letter = match.string[at]
    return letter.isupper() or match.string[at - 1 : at] in ("(", "[")


def _span(match: re.Match[str]) -> tuple[int, int]:
    return next(match.span(index) for index, group in enumerate(match.groups(), 1) if group)
