"""Sentences as the official checkers of IFEval, and of IFBench when first released, split them: by substitution.

Full stops that end no sentence are hidden, then every ``.``, ``?`` and ``!`` left ends one. A quotation mark after one
is put before it, a line break is a blank, and a sentence can be empty: ``Well?!`` has two. Linear in the text.
"""

from __future__ import annotations

import re

_STOP, _HIDDEN = "<stop>", "<prd>"
_STARTER = (
    r"(Mr|Mrs|Ms|Dr|Prof|Capt|Cpt|Lt|He\s|She\s|It\s|They\s|Their\s|Our\s|We\s|But\s|However\s|That\s|This\s|Wherever)"
)
_LETTER, _SUFFIX = "([A-Za-z])", "(Inc|Ltd|Jr|Sr|Co)"


def _rules(*rules: tuple[str, str]) -> list[tuple[re.Pattern[str], str]]:
    """Rules of a pattern and what replaces it, in which ``_`` is a hidden full stop and ``|`` an end."""
    return [(re.compile(old), new.replace("_", _HIDDEN).replace("|", _STOP)) for old, new in rules]


_FIRST = _rules(
    (r"(Mr|St|Mrs|Ms|Dr)\.", r"\1_"),
    (r"\.(com|net|org|io|gov|edu|me)", r"_\1"),
    (r"([0-9])\.([0-9])", r"\1_\2"),
)
_DOTS = re.compile(r"\.{2,}")
_THEN = _rules(
    (r"Ph\.D\.", "Ph_D_"),
    (rf"\s{_LETTER}\. ", r" \1_ "),
    (rf"([A-Z]\.[A-Z]\.(?:[A-Z]\.)?) {_STARTER}", r"\1| \2"),
    (rf"{_LETTER}\.{_LETTER}\.{_LETTER}\.", r"\1_\2_\3_"),
    (rf"{_LETTER}\.{_LETTER}\.", r"\1_\2_"),
    (rf" {_SUFFIX}\. {_STARTER}", r" \1| \2"),
    (rf" {_SUFFIX}\.", r" \1_"),
    (rf" {_LETTER}\.", r" \1_"),
)
_QUOTED = ((".”", "”."), ('."', '".'), ('!"', '"!'), ('?"', '"?'))


def split_sentences(text: str) -> list[str]:
    """The sentences of a text, trimmed, in order; without the last where that is empty."""
    text = f" {text}  ".replace("\n", " ")
    for pattern, instead in _FIRST:
        text = pattern.sub(instead, text)
    text = _DOTS.sub(lambda dots: _HIDDEN * len(dots.group()) + _STOP, text)
    for pattern, instead in _THEN:
        text = pattern.sub(instead, text)
    for old, new in _QUOTED:
        text = text.replace(old, new)
    for mark in ".?!":
        text = text.replace(mark, mark + _STOP)
    sentences = [sentence.strip() for sentence in text.replace(_HIDDEN, ".").split(_STOP)]
    return sentences if sentences[-1] else sentences[:-1]
