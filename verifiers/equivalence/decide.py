"""Whether an answer in a sentence or two says what a reference says, as far as words alone can tell.

An answer *says* a reference where the reference's words stand in it, in order and beside each other, and nothing there
takes them back: a denial, an alternative, a list, another number or date of the same kind. It says something else where
not even a part of a reference's words is in it. Everything between is open: for a model to judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from verifiers.equivalence.words import MONTHS, place_of, words
from verifiers.extract.denial import BESIDE, WRONG, find_retraction

Said = Literal["same", "says", "other", "none", "open"]

_SENTENCE = re.compile(r"(?<=[.!?。！？])(?<!\b[A-Z]\.)\s+(?=[\"“'(\[]?[A-Z0-9À-Þ])|\n+")
_DENIAL = re.compile(
    rf"\b(?:not|never|neither|nor|no|none|cannot|without|unlike|contrary to|{BESIDE}|no(?:thing|one|body) but|"
    rf"{WRONG}(?:ly)?|mistaken(?:ly)?|myth|previous(?:ly)?|formerly|surpass\w*|"
    r"defeat\w*|doubt\w*|used to|no longer|nothing like|replac(?:ed|es|ing)|"
    r"(?:is|are|was|were|do|does|did|ca|could|wo|would|has|have|had|should)n['’]?t)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(?:sorry|i (?:do not|don['’]t|am not|couldn['’]t|could not|cannot|can['’]t)|as an ai|"
    r"no (?:definitive|clear|specific|single|information)|not (?:sure|clear|certain|possible)|unclear|uncertain|"
    r"unable to|it depends|difficult to|missing|some (?:say|think|believe|people)|others (?:say|think|believe))\b",
    re.IGNORECASE,
)
_OR = re.compile(r"\b(?:or|maybe|perhaps|possibly|might be|could be|either)\b", re.IGNORECASE)
_TAKEN_BACK = re.compile(
    rf"\b(?:but|however|although|though)\b.{{0,40}}\b(?:not|{WRONG})\b"
    r"|\bbut (?:now|today|it(?: is|['’]s)|the)\b",
    re.IGNORECASE,
)
# "bigger than Paris", "east of Paris": something beside it
_BESIDE = re.compile(
    r"(?:than|near|outside|beyond|versus|vs|against|(?:east|west|north|south|outside|instead|ahead)(?:ern)? of)\Z"
)
# "Paris/Lyon", "Paris (Lyon)" as the whole answer: two names
_TWO_NAMES = re.compile(
    r"(?P<one>[^/()\[\]]{1,60})(?:/|[(\[](?=[^()]{1,60}[)\]]))(?P<other>[^/()\[\]]{1,60})[)\]]?\s?\.?"
)
_SEVERAL = re.compile(
    r"\band (?:in )?(?:what|which|when|where|who|how)\b|\bdifferences?\b|^\W*(?:name|list|give)\b|"
    r"\b(?:two|three|four|five|six|\d+) (?:\w+ ){0,3}(?:candidates|judges|kinds|types|states|elements|parts)\b",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\W*(?:no|not|nope|wait|actually|correction|sorry|rather|i mean|or|however,? (?:it|that))\b", re.IGNORECASE
)
_PART = re.compile(r"[,;/|\n]|[.:](?=\s|$)|\b(?:or|and)\b")
_BEFORE, _AFTER = 8, 4
"""Words before and after a reference's in which a denial or an alternative is about it."""

_INITIAL = re.compile(r"\b([A-ZÀ-Þ])\.")
_BRACKETS = re.compile(r"\([^()]*\)")
_LONGEST_NAME = 4
_SHORT = 40
"""Words of an answer that is read whole; of a longer one the first sentence counts."""

_MOST_LISTED = 3
_ALIKE = 0.75
_LONGEST_WORD = 30
_LONGEST = 5_000
Span = tuple[int, int]
_ANY_ORDER = re.compile(r"\band\b|&|,|;|/", re.IGNORECASE)
_NAME = re.compile(r"(?:[A-ZÀ-Þ][\w'’.-]*\s*){2,4}")
_TITLES = frozenset(
    ("sir", "king", "queen", "president", "prime", "minister", "doctor", "dr", "professor", "emperor", "saint", "st")
)
_SLACK = 2
_MOST = 12


@dataclass(frozen=True, slots=True)
class Judgement:
    """``why`` names the rule; ``reference`` is the one that decided, if one did."""

    said: Said
    why: str
    reference: str = ""


class Question:
    """A question with its references, against which answers are held."""

    def __init__(self, prompt: str, references: Sequence[str]) -> None:
        self.asked = frozenset(words(prompt))
        self.several = _SEVERAL.search(prompt) is not None
        self.asked_words = frozenset(found[0].lower() for found in _DENIAL.finditer(prompt))
        self.references = [(text, read) for text in references if (read := words(text))]

    @cached_property
    def telling(self) -> list[tuple[str, list[str]]]:
        """The references that say more than the question."""
        return [(text, read) for text, read in self.references if not self.asked.issuperset(read)]

    def judge(self, answer: str) -> Judgement:
        """What an answer says. Linear in its length."""
        answer = answer[:_LONGEST]
        given = words(answer)
        if not given:
            return Judgement("none", "empty")
        for text, read in self.references:
            if given == read or "".join(given) == "".join(read):
                return Judgement("same", "same_words", text)
        for text, _ in self.references:
            if any(given == words(shorter) for shorter in _shorter(text)):
                return Judgement("same", "same_name", text)
        sentences = [part for part in _SENTENCE.split(answer) if part.strip()]
        first = sentences if len(given) <= _SHORT else sentences[:1]
        found = self._found(first)
        if found is not None:
            return found
        if any(place_of(read, given) >= 0 for _, read in self.references):
            return Judgement("open", "late")
        return self._without(given, answer)

    def _found(self, sentences: Sequence[str]) -> Judgement | None:
        """The judgement by the first sentence that has a reference's words; None where none has."""
        doubt: Judgement | None = None
        for number, sentence in enumerate(sentences):
            given = words(sentence)
            for text, read in self.telling:
                span, rule = find_span(text, read, given)
                if span is None:
                    continue
                why = self._doubt(sentence, given, span, read, sentences, number)
                if not why:
                    return Judgement("says", rule, text)
                doubt = doubt or Judgement("open", why, text)
        return doubt

    def _doubt(
        self,
        sentence: str,
        given: Sequence[str],
        span: tuple[int, int],
        read: Sequence[str],
        sentences: Sequence[str],
        number: int,
    ) -> str:
        """Why a sentence that has a reference's words may not say it; empty where nothing speaks against it."""
        if any(_UNSURE.search(one) for one in sentences[: number + 1]) or sentence.rstrip(" *_\"'”)").endswith("?"):
            return "unsure"
        near = " ".join(given[max(0, span[0] - _BEFORE) : span[1] + _AFTER])
        denied = {found[0].lower() for found in _DENIAL.finditer(near)}
        if (
            denied - self.asked_words
            or _TAKEN_BACK.search(sentence)
            or find_retraction(" ".join(sentences[number:]), 0)
        ):
            return "denial"
        if _BESIDE.search(" ".join(given[max(0, span[0] - 2) : span[0]])):
            return "beside"
        if self._two_names(sentence):
            return "alternative"
        if _OR.search(near) and "or" not in read:
            return "alternative"
        if self.several and len(given) > len(read) + _AFTER:
            return "several_asked"
        if self._rivals(given, read):
            return "rival"
        fragment = len(given) <= _MOST_LISTED + 1
        if self._listed(". ".join(sentences) if fragment else sentence):
            return "list"
        if any(_TURNED.match(one) for one in sentences[number + 1 :]):
            return "denial"
        return ""

    def _two_names(self, sentence: str) -> bool:
        """Whether a sentence is one name and another, just one of them a reference's: two answers to choose from."""
        found = _TWO_NAMES.fullmatch(sentence.strip(" *_"))
        if found is None:
            return False
        one, other = (set(words(part)) for part in found.groups())
        known = {word for _, read in self.references for word in read} | self.asked
        initials = "".join(word[0] for word in words(found["one"]))
        return bool(one & known) != bool(other & known) and "".join(words(found["other"])) != initials

    def _listed(self, text: str) -> bool:
        """Whether most of a text is short parts beside each other: answers to choose from."""
        parts = [words(part) for part in _PART.split(_INITIAL.sub(r"\1", _BRACKETS.sub(" ", text)))]
        known = {tuple(read) for _, read in self.references}
        new = [part for part in parts if not self.asked.issuperset(part)]
        short = [part for part in new if len(part) <= _MOST_LISTED and tuple(part) not in known]
        all_short = len(new) >= _MOST_LISTED and all(len(part) <= _MOST_LISTED for part in new)
        return all_short or (len(short) >= _MOST_LISTED and 2 * len(short) > len(new))

    def _rivals(self, given: Sequence[str], read: Sequence[str]) -> bool:
        """Whether another number of the same kind is beside that of the reference."""
        wanted = {word for word in read if word[0].isdigit()} - self.asked
        if not wanted:
            return False
        known = {word for _, other in self.references for word in other}
        dated = {word for at, word in enumerate(given) if MONTHS.intersection(given[max(0, at - 2) : at + 2])}
        others = {word for word in given if word[0].isdigit()} - known - self.asked - dated
        return any(_kind(one) == _kind(other) for one in wanted for other in others)

    def _without(self, given: Sequence[str], answer: str) -> Judgement:
        """The judgement on an answer in which no reference stands whole."""
        said = set(given)
        joined = "".join(given)
        for text, read in self.references:
            telling = [word for word in read if word not in self.asked] or read
            if any(word in said for word in telling if len(word) > 2 or word.isdigit()):
                return Judgement("open", "part", text)
            if any(len(word) > 3 and _near(word, said) for word in telling):
                return Judgement("open", "spelling", text)
            if len("".join(read)) >= 3 and "".join(read) in joined:
                return Judgement("open", "joined", text)
        return Judgement("other", "nothing_common")


def _shorter(text: str) -> list[str]:
    """A reference without what it says in brackets, and without what follows its first comma, where both are words."""
    plain = _BRACKETS.sub(" ", text).strip()
    head, comma, tail = plain.partition(",")
    found = [plain] if plain != text else []
    if comma and not any(one.isdigit() for one in text) and len(head.split()) <= _LONGEST_NAME:
        found.append(head)
    return found if tail or found else []


def _kind(number: str) -> str:
    """What a number may be: a year, or any other."""
    return "year" if re.fullmatch(r"1\d{3}|20\d\d", number) else "number"


def _near(word: str, said: set[str]) -> bool:
    if word[0].isdigit():
        return False
    head = word[:4]
    for other in said:
        if other[:4] == head and min(len(word), len(other)) > 4:
            return True
        alike = other[:1] == word[:1] and abs(len(other) - len(word)) <= 2 and len(word) <= _LONGEST_WORD
        if alike and SequenceMatcher(None, word, other).ratio() >= _ALIKE:
            return True
    return False


def find_span(text: str, read: Sequence[str], given: Sequence[str]) -> tuple[Span | None, str]:
    """The span of words in which a sentence has a reference, and the rule by which it has it."""
    at = place_of(read, given)
    if at >= 0:
        return (at, at + len(read)), "contained"
    if len(read) > _MOST:
        return None, ""
    if MONTHS.intersection(read) and any(word.isdigit() for word in read):
        return _window(read, given, len(read) + 1), "date"
    if len(read) > 2 and _ANY_ORDER.search(text):
        parts = [word for word in read if word != "and"]
        return _window(parts, given, len(read) + _SLACK), "any_order"
    if _NAME.fullmatch(text.strip()):
        return _name(read, given), "name"
    return None, ""


def _window(read: Sequence[str], given: Sequence[str], width: int) -> Span | None:
    """The first stretch of so many words that has all of these."""
    wanted = set(read)
    places = [place for place, word in enumerate(given) if word in wanted]
    for start in places:
        if wanted <= set(given[start : start + width]):
            return start, start + width
    return None


def _name(read: Sequence[str], given: Sequence[str]) -> Span | None:
    """A person's name with or without middle names and titles: the first and last name, two words between at most."""
    names = [word for word in read if word not in _TITLES]
    if len(names) < 2:
        return None
    first, last = names[0], names[-1]
    for at, word in enumerate(given):
        if word == first and last in given[at + 1 : at + 2 + _SLACK]:
            end = given.index(last, at + 1)
            between = given[at + 1 : end]
            # one of both may leave middle names out, but they may not have different ones
            if not between or len(names) == 2 or set(between) <= set(names):
                return at, end + 1
    return None
