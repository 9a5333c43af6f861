"""``custom:*``: prompts of their own, each with its one check: counting, quizzes, reversals, lists."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from string import ascii_lowercase
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding
from verifiers.instructions.english.plain import bare, trim
from verifiers.instructions.sets.ifbench.sentenced import Sentenced
from verifiers.legible import shorten

_NUMBER = re.compile(r"\d+")
_QUESTION = re.compile(r"Question \d+[.|):;]?")
_OPTION = re.compile(r"[A-Ea-e][.|)]\s*\w")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_FROM_NORTH = """
    Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam Warsaw
    London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern Ljubljana Zagreb
"""
_CAPITALS = tuple(_FROM_NORTH.split())
_COUNTRIES = 52
_LIFE = (1769, 1821)
"""The years of Napoleon's birth and death."""


class Multiples(Constraint):
    """The numbers in it are 14, 21, 28, 35, 42 and 49."""

    id: ClassVar[str] = "custom:multiples"

    def check(self, text: str) -> Finding:
        found = _NUMBER.findall(text)
        return Finding(found == ["14", "21", "28", "35", "42", "49"], f"numbers {shorten(', '.join(found[:12]))}")


class McqCountLength(Constraint):
    """Four questions, each longer than the one before and with five options, and nothing before the first."""

    id: ClassVar[str] = "custom:mcq_count_length"

    def check(self, text: str) -> Finding:
        if not text.startswith("Question"):
            return Finding(False, "it does not begin with a question")
        questions = [question for question in map(str.strip, _QUESTION.split(text)) if question]
        if len(questions) != 4:
            return Finding(False, f"{len(questions)} questions, wanted exactly 4")
        lengths, options = zip(*map(_measured, questions), strict=True)
        if set(options) != {5}:
            return Finding(False, f"{', '.join(map(str, options))} options, wanted exactly 5 each")
        longer = all(after > before for before, after in pairwise(lengths))
        return Finding(longer, f"questions of {', '.join(map(str, lengths))} characters")


class ReverseNewline(Constraint):
    """At least 52 lines from one with Zimbabwe on, in reverse alphabetical order, accents aside."""

    id: ClassVar[str] = "custom:reverse_newline"

    def check(self, text: str) -> Finding:
        lines = [line for line in map(trim, text.split("\n")) if line]
        start = next((at for at, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
        countries = [_ascii(line) for line in lines[start:]]
        if len(countries) < _COUNTRIES:
            return Finding(False, f"{len(countries)} lines from Zimbabwe on, wanted at least {_COUNTRIES}")
        wrong = next((after for before, after in pairwise(countries) if after > before), None)
        return Finding(wrong is None, "in reverse order" if wrong is None else f"not in order: {shorten(wrong[:60])!r}")


class WordReverse(Sentenced):
    """One sentence that has ``bald eagle`` when its words are read backwards."""

    id: ClassVar[str] = "custom:word_reverse"

    def check(self, text: str) -> Finding:
        backwards = " ".join(reversed(bare(text.lower().strip()).split()))
        found = "bald eagle" in backwards and backwards in self.sentences(backwards)
        return Finding(found, "the bald eagle" if found else f"backwards it is {shorten(backwards[:100])!r}")


class CharacterReverse(Constraint):
    """``elgae dlab`` occurs, case aside."""

    id: ClassVar[str] = "custom:character_reverse"

    def check(self, text: str) -> Finding:
        found = "elgae dlab" in text.lower()
        return Finding(found, "the bald eagle, letter by letter" if found else "no 'elgae dlab'")


class SentenceAlphabet(Sentenced):
    """26 sentences that begin with the letters of the alphabet in order."""

    id: ClassVar[str] = "custom:sentence_alphabet"

    def check(self, text: str) -> Finding:
        sentences = self.sentences(text)
        if len(sentences) != 26:
            return Finding(False, f"{len(sentences)} sentences, wanted exactly 26")
        initials = "".join(self.initial(sentence) for sentence in sentences)
        return Finding(initials == ascii_lowercase, f"sentences begin with {shorten(initials)}")

    def initial(self, sentence: str) -> str:
        """The letter that a sentence begins with."""
        return sentence.lstrip().lower()[:1]


class EuropeanCapitalsSort(Constraint):
    """The 27 capitals north of 45 degrees, from north to south, with commas between them, accents aside."""

    id: ClassVar[str] = "custom:european_capitals_sort"

    def check(self, text: str) -> Finding:
        found = [name for name in map(str.strip, _ascii(text).split(",")) if name]
        wrong = next((name for name, wanted in zip(found, _CAPITALS, strict=False) if name != wanted), None)
        if wrong is not None or len(found) != len(_CAPITALS):
            return Finding(False, f"{len(found)} names, the first out of place: {shorten((wrong or '')[:60])!r}")
        return Finding(True, "the capitals in order")


class DateFormatList(Constraint):
    """Dates of Napoleon's life as YYYY-MM-DD, with commas between them and nothing else."""

    id: ClassVar[str] = "custom:date_format_list"

    def check(self, text: str) -> Finding:
        wrong = next((date for date in map(str.strip, text.split(",")) if not _is_date(date)), None)
        return Finding(wrong is None, "dates" if wrong is None else f"not a date of his life: {shorten(wrong[:60])!r}")


def _measured(question: str) -> tuple[int, int]:
    """How many characters a question has before its options, and how many options."""
    asked: list[str] = []
    options = 0
    for line in map(str.strip, question.split("\n")):
        if _OPTION.match(line):
            options += 1
        elif not options:
            asked.append(line)
    return len(" ".join(asked).strip()), options


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def _is_date(text: str) -> bool:
    date = _DATE.fullmatch(text)
    if date is None:
        return False
    year, month, day = map(int, date.groups())
    days = 29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31 if month else 99
    return _LIFE[0] <= year <= _LIFE[1] and month <= 12 and day <= days
