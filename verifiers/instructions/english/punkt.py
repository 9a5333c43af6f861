"""Sentences as Punkt finds them (Kiss and Strunk 2006, "Unsupervised Multilingual Sentence Boundary Detection").

The decisions are those of NLTK's ``sent_tokenize`` with its English model, at version 3.9.1, to the character:
official checkers count with it. The model is ``punkt.txt``. Linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from string import whitespace
from typing import NamedTuple

from verifiers.instructions.english.lexicon import lexicon

_MODEL = lexicon("punkt.txt")
# an ellipsis written with blanks is in the model too
_ABBREVIATIONS = _MODEL["abbreviations"] | {". ."}
_PAIRS = frozenset(tuple(pair.split("|")) for pair in _MODEL["pairs"])
_STARTERS = _MODEL["starters"]
_COMMON = _MODEL["common"]
_SMALL = _COMMON | _MODEL["names"]

_OTHER = r"[)\";}\]*:@'({\[?!]"
_RUN = r"(?:-{2,}|\.{2,}|(?:\.\s){2,}\.)"
_CANDIDATE = re.compile(rf"[.?!](?=(?P<after>{_OTHER}|\s+(?P<next>\S+)))")
_TOKEN = re.compile(
    rf"{_RUN}"
    rf"|(?=[^(\"`{{\[:;&#*@)}}\]\-,])\S+?(?=\s|\Z|{_OTHER}|{_RUN}|,(?=\Z|\s|{_OTHER}|{_RUN}))"
    r"|\S"
)
_CLOSING = re.compile(r"[\"')\]}]+?(?:\s+|(?=--)|$)", re.MULTILINE)
_NUMBER = re.compile(r"-?[.,]?\d[\d,.\-]*\.?")
_INITIAL = re.compile(r"[^\W\d]\.")
_ELLIPSIS = re.compile(r"\.\.+")
_SHORT = 60
"""Characters of a context up to which its decision is kept."""


class _Token(NamedTuple):
    text: str
    ends: bool
    """Whether it ends a sentence by itself, whatever follows."""
    abbreviates: bool
    """Whether it is a known abbreviation or an ellipsis."""

    @property
    def kind(self) -> str:
        """The word without case, numbers being one word."""
        return "##number##" if _NUMBER.fullmatch(self.text) else self.text.lower()

    @property
    def stem(self) -> str:
        """The same without its final full stop."""
        kind = self.kind
        return kind[:-1] if len(kind) > 1 and kind.endswith(".") else kind


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, in order, without the white space between them."""
    return [text[start:end] for start, end in _with_closing_marks(text, list(_pieces(text))) if end > start]


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match, context in _contexts(text):
        if _breaks(context) if len(context) > _SHORT else _breaks_shortly(context):
            yield start, match.end()
            start = match.start("next") if match["next"] else match.end()
    yield start, len(text.rstrip())


def _contexts(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each mark that may end a sentence, with the word before it and what follows; of marks in one word, the last."""
    begin = end = 0
    waiting: re.Match[str] | None = None
    for match in _CANDIDATE.finditer(text):
        last = next((at for at in range(match.start() - 1, end, -1) if text[at] in whitespace), None)
        word = begin if last is None else last + 1
        if waiting is not None and end <= word:
            yield waiting, f"{text[begin:end]}{waiting.group()}{waiting['after']}"
        begin, end, waiting = word, match.start(), match
    if waiting is not None:
        yield waiting, f"{text[begin:end]}{waiting.group()}{waiting['after']}"


def _with_closing_marks(text: str, pieces: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The pieces, with quotation marks and brackets that close at the start of one moved to the one before."""
    moved = 0
    for (start, end), (following, last) in pairwise(pieces):
        closing = _CLOSING.match(text[following:last])
        if closing is None:
            yield start + moved, end
            moved = 0
        else:
            yield start + moved, following + len(closing.group().rstrip())
            moved = closing.end()
    start, end = pieces[-1]
    yield start + moved, end


def _breaks(context: str) -> bool:
    """Whether a sentence ends within these words: after any but the last of them."""
    tokens = [_token(word) for line in context.split("\n") if line.strip() for word in _TOKEN.findall(line)]
    return any(_ends_before(token, following) for token, following in pairwise(tokens))


# few words come again and again; a long context is not worth keeping
_breaks_shortly = lru_cache(maxsize=4096)(_breaks)


def _token(text: str) -> _Token:
    if text in (".", "?", "!"):
        return _Token(text, ends=True, abbreviates=False)
    if _ELLIPSIS.fullmatch(text):
        return _Token(text, ends=False, abbreviates=True)
    if text.endswith(".") and not text.endswith(".."):
        word = text[:-1].lower()
        known = word in _ABBREVIATIONS or word.split("-")[-1] in _ABBREVIATIONS
        return _Token(text, ends=not known, abbreviates=known)
    return _Token(text, ends=False, abbreviates=False)


def _ends_before(token: _Token, following: _Token) -> bool:
    if not token.text.endswith("."):
        return token.ends
    word, after = token.stem, following.stem if following.ends else following.kind
    if (word, after) in _PAIRS:
        return False
    initial = _INITIAL.fullmatch(token.text) is not None
    upper = following.text[0].isupper()
    if token.abbreviates and not initial and upper and (after in _COMMON or after in _STARTERS):
        return True
    if initial or word == "##number##":
        if following.text in tuple(";:,.!?") or following.text[0].islower():
            return False
        if initial and upper and after not in _SMALL:
            return False
    return token.ends
