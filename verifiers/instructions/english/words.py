"""Words as the Penn Treebank separates them, with the refinements of NLTK's ``word_tokenize`` at version 3.9.1.

Punctuation stands alone, ``don't`` is ``do n't``, double quotation marks become two backticks or two apostrophes.
Linear in the text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from verifiers.instructions.english.punkt import split_sentences

_SHORT = 20
"""Characters of a sentence up to which its words are kept."""


class _Rule(NamedTuple):
    pattern: re.Pattern[str]
    replacement: str
    needs: frozenset[str]
    """Characters without any of which the pattern matches nothing."""


def _rules(*rules: tuple[str, str, str]) -> list[_Rule]:
    return [_Rule(re.compile(pattern), replacement, frozenset(needs)) for pattern, replacement, needs in rules]


# in this order: quotation marks that open, punctuation, brackets and dashes
_BEFORE = _rules(
    (r"([«“‘„]|`+)", r" \1 ", "«“‘„`"),
    (r"\A\"", "``", '"'),
    (r"``", " `` ", "`"),
    (r"([ (\[{<])(?:\"|'')", r"\1 `` ", "\"'"),
    (r"(?i)'(?!re|ve|ll|m|t|s|d|n)(\w)\b", r"' \1", "'"),
    # possessive: white space is in the class and after it
    (r"([^.])\.([\])}>\"'»”’ ]*+)\s*$", r"\1 . \2 ", "."),
    (r"([:,])(\D)", r" \1 \2", ":,"),
    (r"([:,])$", r" \1 ", ":,"),
    (r"\.{2,}", r" \g<0> ", "."),
    (r"[;@#$%&]", r" \g<0> ", ";@#$%&"),
    (r"([^.])\.([\])}>\"']*+)\s*$", r"\1 .\2 ", "."),
    (r"[?!]", r" \g<0> ", "?!"),
    (r"([^'])' ", r"\1 ' ", "'"),
    (r"\*", " * ", "*"),
    (r"[\]\[(){}<>]", r" \g<0> ", "[](){}<>"),
    (r"--", " -- ", "-"),
)
_CLOSING = _rules((r"[»”’]", r" \g<0> ", "»”’"), (r"''", " '' ", "'"), (r"\"", " '' ", '"'))
_CONTRACTIONS = _rules(
    (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 ", "'"),
    (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 ", "'"),
    (r"(?i)\b(can)(not)\b", r" \1 \2 ", "cC"),
    (r"(?i)\b(d)('ye)\b", r" \1 \2 ", "'"),
    (r"(?i)\b(gim)(me)\b", r" \1 \2 ", "gG"),
    (r"(?i)\b(gon)(na)\b", r" \1 \2 ", "gG"),
    (r"(?i)\b(got)(ta)\b", r" \1 \2 ", "gG"),
    (r"(?i)\b(lem)(me)\b", r" \1 \2 ", "lL"),
    (r"(?i)\b(more)('n)\b", r" \1 \2 ", "'"),
    (r"(?i)\b(wan)(na)(?=\s)", r" \1 \2 ", "wW"),
    (r"(?i) ('t)(is)\b", r" \1 \2 ", "'"),
    (r"(?i) ('t)(was)\b", r" \1 \2 ", "'"),
)


def words(text: str) -> list[str]:
    """The tokens of a text, sentence by sentence, punctuation among them."""
    return [
        token
        for sentence in split_sentences(text)
        for token in (_words_shortly if len(sentence) <= _SHORT else _words)(sentence)
    ]


def _words(sentence: str) -> tuple[str, ...]:
    there = set(sentence)
    if '"' in there:
        # what rules put in their place
        there.update("`'")
    sentence = _applied(_BEFORE, sentence, there)
    sentence = _applied(_CLOSING, f" {sentence} ", there)
    return tuple(_applied(_CONTRACTIONS, f" {' '.join(sentence.split())} ", there).split())


# the shortest sentences come again and again
_words_shortly = lru_cache(maxsize=4096)(_words)


def _applied(rules: list[_Rule], sentence: str, there: set[str]) -> str:
    for rule in rules:
        if not rule.needs.isdisjoint(there):
            sentence = rule.pattern.sub(rule.replacement, sentence)
    return sentence
