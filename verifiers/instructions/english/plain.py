"""Texts and words without the punctuation of ASCII, which is what the official checkers mean by punctuation."""

from __future__ import annotations

from string import punctuation

_DELETE = str.maketrans("", "", punctuation)
_EDGES = punctuation + " "


def bare(text: str) -> str:
    """The text without any punctuation."""
    return text.translate(_DELETE)


def bare_words(text: str) -> list[str]:
    """Its words in small letters, without punctuation."""
    return bare(text.lower()).split()


def trim(word: str) -> str:
    """The text without punctuation and blanks at its ends."""
    return word.strip(_EDGES)


def trim_left(text: str) -> str:
    """The same at its beginning alone."""
    return text.lstrip(_EDGES)


def trim_right(text: str) -> str:
    """The same at its end alone."""
    return text.rstrip(_EDGES)
