"""Constraints of IFBench as its repository judges them today, where that differs from the first release."""

from __future__ import annotations

import re
from string import punctuation, whitespace
from typing import ClassVar

from verifiers.instructions.constraint import Finding, compare_count
from verifiers.instructions.english.plain import bare_words
from verifiers.instructions.english.words import words
from verifiers.instructions.sets.ifbench import count, custom, ratio, repeat
from verifiers.instructions.sets.ifbench import format as formats
from verifiers.instructions.sets.ifbench import sentence as sentences
from verifiers.instructions.sets.ifbench import words as words_family
from verifiers.instructions.sets.ifbench.sentenced import Today

_OTHERS = """this that these those who whom whose which what whoever whomever whatever whichever anybody anyone anything
    everybody everyone everything nobody nothing somebody someone something each either neither both all some any
    none"""
_PRONOUNS = count.PRONOUNS | set(_OTHERS.split())


class PersonNames(count.PersonNames):
    """At least so many of the fifty names of the list, as words of their own."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        there = set(re.findall(r"\w+", text))
        return compare_count(sum(name in there for name in count.NAMES), "at least", self.N, "of the names")


class Pronouns(count.Pronouns):
    """The same with demonstrative, interrogative, relative and indefinite pronouns; ``it's`` has one."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        found = sum(word in _PRONOUNS for word in words(text.replace("/", " ").lower()))
        return compare_count(found, "at least", self.N, "pronouns")


class KeywordsMultiple(count.KeywordsMultiple):
    """The same for keywords that are words of their own."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        patterns = [rf"\b{re.escape(keyword)}\b" for keyword in self.keywords()]
        return self.compare_counts(len(re.findall(pattern, text, re.IGNORECASE)) for pattern in patterns)


class SentenceType(Today, ratio.SentenceType):
    """The same for the sentences of today."""


class SentenceBalance(Today, ratio.SentenceBalance):
    """The same for the sentences of today."""


class AlliterationIncrement(Today, sentences.AlliterationIncrement):
    """The same for the sentences of today."""


class SentenceKeyword(Today, sentences.Keyword):
    """The same for a keyword that is a word of its own, in the sentences of today."""

    def occurs(self, sentence: str) -> bool:
        return re.search(rf"\b{re.escape(self.word)}\b", sentence, re.IGNORECASE) is not None


class Increment(Today, sentences.Increment):
    """The same for the sentences of today."""


class LastFirst(Today, words_family.LastFirst):
    """The same for the sentences of today."""


class Emoji(Today, formats.Emoji):
    """The same for the sentences of today."""


class NoBulletsBullets(Today, formats.NoBulletsBullets):
    """The same for the sentences of today."""


class WordReverse(Today, custom.WordReverse):
    """The same for the sentences of today."""


class SentenceWords(Today, ratio.SentenceWords):
    """Three sentences of today of the same number of characters, in which no word occurs twice."""

    def check(self, text: str) -> Finding:
        alike = super().check(text)
        found = bare_words(" ".join(self.sentences(text)))
        again = len(found) - len(set(found))
        return alike if not alike.followed or not again else Finding(False, f"{again} words occur again")


class Overlap(ratio.Overlap):
    """The same for trigrams of words."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        return self.compare_trigrams(words(text), words(self.reference_text))


class KeywordsSpecificPosition(Today, words_family.KeywordsSpecificPosition):
    """The same, case aside and with no marks of punctuation among the tokens, in the sentences of today."""

    def tokens(self, sentence: str) -> list[str]:
        return [word.lower() for word in _wordlike(sentence)]

    def spell_keyword(self) -> str:
        return self.keyword.lower()


class WordsPosition(words_family.WordsPosition):
    """The same, case aside and with no marks of punctuation among the tokens."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        found = [word.lower() for word in _wordlike(text)]
        followed = len(found) > 1 and found[1] == found[-2] == self.keyword.lower()
        return Finding(followed, words_family.places(found))


class TitleCase(formats.TitleCase):
    """The same, where a small letter alone is not let pass either."""

    revised: ClassVar[bool] = True

    def small(self, word: str) -> bool:
        return word[0].isalpha() and (word.islower() if len(word) == 1 else super().small(word))


class RepeatChange(repeat.RepeatChange):
    """The request with another first word, white space aside."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        if text == self.prompt_to_repeat:
            return Finding(False, "the request, unchanged")
        same = text.split()[1:] == self.prompt_to_repeat.split()[1:]
        return Finding(same, "the request with another beginning" if same else "not the request")


class RepeatSpan(repeat.RepeatSpan):
    """The words from index ``n_start`` up to and with ``n_end``, one blank between them, case aside."""

    revised: ClassVar[bool] = True

    def check(self, text: str) -> Finding:
        wanted = " ".join(self.prompt_to_repeat.split()[self.n_start : self.n_end + 1])
        same = text.strip().lower() == wanted.lower()
        return Finding(same, "the words wanted" if same else "not the words wanted")


class SentenceAlphabet(Today, custom.SentenceAlphabet):
    """The same, with punctuation at the beginning of a sentence aside."""

    def initial(self, sentence: str) -> str:
        return sentence.lstrip(punctuation + whitespace)[:1].lower()


def _wordlike(text: str) -> list[str]:
    return [word for word in words(text) if any(map(str.isalnum, word))]
