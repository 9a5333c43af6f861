"""The words of openers (``openers.yaml``), and whether words of a response are among them.

Words are held against one language at a time, so that the Polish "ten" (this) is not taken for nothing in an English
answer; what would follow an opener ("solution", "answer") counts in every language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from judges.hardening.surface import tokens

_FILE = Path(__file__).with_name("openers.yaml")
_SHORTEST_STEM, _LONGEST_ENDING = 3, 6
_LONGEST_PIECE = 16
_LONGEST_RUN = 200
"""Characters without a space or mark that are taken apart."""


@dataclass(frozen=True, slots=True)
class LexiconEntry:
    """In which languages (a bit each) this is known at all, as what announces, and as a courtesy."""

    known: int = 0
    announces: int = 0
    courtesy: int = 0

    def __or__(self, other: LexiconEntry) -> LexiconEntry:
        return LexiconEntry(self.known | other.known, self.announces | other.announces, self.courtesy | other.courtesy)


UNKNOWN = LexiconEntry()


@dataclass(slots=True)
class Lexicon:
    """``phrases`` by their first word, the longest first; ``pieces`` are the words of a language without spaces."""

    words: dict[str, LexiconEntry] = field(default_factory=dict)
    stems: dict[str, LexiconEntry] = field(default_factory=dict)
    phrases: dict[str, list[tuple[list[str], LexiconEntry]]] = field(default_factory=dict)
    before: dict[int, list[str]] = field(default_factory=dict)
    pieces: dict[int, dict[str, LexiconEntry]] = field(default_factory=dict)
    affirms: set[str] = field(default_factory=set)
    numbered: set[str] = field(default_factory=set)
    denies: set[str] = field(default_factory=set)
    gradual: set[str] = field(default_factory=set)

    def units(self, words: Sequence[str]) -> Iterator[LexiconEntry]:
        """An entry a word or phrase, in order."""
        place = 0
        while place < len(words):
            for phrase, entry in self.phrases.get(words[place], ()):
                if list(words[place : place + len(phrase)]) == phrase:
                    place += len(phrase)
                    yield entry
                    break
            else:
                yield self.word(words[place])
                place += 1

    def word(self, word: str) -> LexiconEntry:
        if word in self.denies:
            return UNKNOWN
        found = self.words.get(word, UNKNOWN) | self._by_stem(word)
        for language, clitics in self.before.items():
            for clitic in clitics:
                if word.startswith(clitic) and len(word) > len(clitic) + 1:
                    bare = self.words.get(word[len(clitic) :], UNKNOWN) | self._by_stem(word[len(clitic) :])
                    found |= LexiconEntry(bare.known & language, bare.announces & language, bare.courtesy & language)
        if not word.isascii() and any(ord(character) > 0x0E00 for character in word):
            for language, pieces in self.pieces.items():
                found |= _segmented(word, language, pieces)
        return found

    def _by_stem(self, word: str) -> LexiconEntry:
        for end in range(min(len(word), 30), max(_SHORTEST_STEM, len(word) - _LONGEST_ENDING) - 1, -1):
            if word[:end] in self.stems:
                return self.stems[word[:end]]
        return UNKNOWN


def _segmented(word: str, language: int, pieces: Mapping[str, LexiconEntry]) -> LexiconEntry:
    """Whether the word falls into pieces of the language. 1 is reached by small ones alone, 2 and 4 with a courtesy or
    an announcement on the way. Of a long word its beginning is looked at."""
    word = word[:_LONGEST_RUN]
    reached = [1] + [0] * len(word)
    furthest = 0
    for start in range(len(word)):
        if start > furthest:
            return UNKNOWN
        if not reached[start]:
            continue
        for end in range(start + 1, min(len(word), start + _LONGEST_PIECE) + 1):
            entry = pieces.get(word[start:end])
            if entry is not None:
                kind = 4 if entry.announces & language else 2 if entry.courtesy & language else 1
                reached[end] |= max(kind, reached[start])
                furthest = max(furthest, end)
    best = reached[-1]
    if not best:
        return UNKNOWN
    return LexiconEntry(language, language if best & 4 else 0, language if best & 2 else 0)


@cache
def lexicon() -> Lexicon:
    """Read once."""
    made = Lexicon()
    languages: dict[str, dict[str, str]] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    every = (1 << len(languages)) - 1
    unspaced: list[str] = []
    for place, kinds in enumerate(languages.values()):
        bit = 1 << place
        _add(made, kinds.get("heads", ""), LexiconEntry(every, every))
        _add(made, kinds.get("words", ""), LexiconEntry(bit, bit))
        _add(made, kinds.get("small", ""), LexiconEntry(bit))
        _add(made, kinds.get("courtesy", ""), LexiconEntry(bit, 0, bit))
        _add(made, kinds.get("answers", ""), UNKNOWN)
        made.affirms |= {word for entry in kinds.get("affirms", "").split() for word in tokens(entry)}
        made.numbered |= {word for entry in kinds.get("numbered", "").split() for word in tokens(entry)}
        made.denies |= {word for entry in kinds.get("denies", "").split() for word in tokens(entry)}
        made.gradual |= {" ".join(tokens(entry.replace("_", " "))) for entry in kinds.get("gradual", "").split()}
        if kinds.get("before"):
            made.before[bit] = kinds["before"].split()
        if kinds.get("unspaced"):
            made.pieces[bit] = _pieces(kinds, bit)
            unspaced += kinds["heads"].split()
    for bit, pieces in made.pieces.items():
        for head in _folded(unspaced):
            pieces[head] = LexiconEntry(bit, bit)
    for phrases in made.phrases.values():
        phrases.sort(key=lambda phrase: -len(phrase[0]))
    return made


def _add(made: Lexicon, listed: str, entry: LexiconEntry) -> None:
    for one in listed.split():
        words = tokens(one.replace("_", " ").replace("-", " "))
        if len(words) > 1:
            _add_phrase(made, words, entry)
        elif words and one.endswith("*"):
            made.stems[words[0]] = made.stems.get(words[0], UNKNOWN) | entry
        elif words:
            made.words[words[0]] = made.words.get(words[0], UNKNOWN) | entry


def _add_phrase(made: Lexicon, words: list[str], entry: LexiconEntry) -> None:
    known = made.phrases.setdefault(words[0], [])
    for place, (phrase, other) in enumerate(known):
        if phrase == words:
            known[place] = (phrase, other | entry)
            return
    known.append((words, entry))


def _pieces(kinds: Mapping[str, str], bit: int) -> dict[str, LexiconEntry]:
    found: dict[str, LexiconEntry] = {}
    for kind, entry in (
        ("small", LexiconEntry(bit)),
        ("courtesy", LexiconEntry(bit, 0, bit)),
        ("words", LexiconEntry(bit, bit)),
        ("heads", LexiconEntry(bit, bit)),
    ):
        for piece in _folded(kinds.get(kind, "").split()):
            found[piece] = entry
    return found


def _folded(listed: Iterable[str]) -> list[str]:
    return [piece for one in listed if (piece := "".join(tokens(one)))]
