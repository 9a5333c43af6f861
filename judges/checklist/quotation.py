"""Whether what a judge quotes shows anything: it must stand in what the turn has of the policy and of its tools, and be
more than a letter or a small word.

Whoever judges a checklist is asked for the words that show that an item is met. A single letter stands in every
conversation, and the words of an earlier turn, or of the user, say nothing of what the policy did in this one. White
space, case, the kind of marks, accents' Unicode form and Markdown's emphasis may differ, and the whole may stand in
quotation marks. Arguments of a call are compared as they were written, and as JSON is
usually written.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence

from judges.asking.material import arguments_of, message_text
from judges.asking.visible import visible
from judges.hardening.lexicon import lexicon
from judges.hardening.surface import MARKS, tokens
from trueward.wire.sample import Message
from verifiers.typography import CURLED

_LEAST = 4
"""What a quotation weighs at least: a letter is 1, a digit is 4, a character of a script without spaces is 2."""
_MARKS = CURLED | str.maketrans("⟦⟧", "[]")
_EMPHASIS = re.compile(r"(?<![^\W_])[*_`]+|[*_`]+(?![^\W_])")
_WORD = re.compile(r"[^\W_\u2e80-\U0010ffff]+")
_ENDS = " .,;:!?\"'*_`"
_UNSPACED = 0x2E80


def shows(quote: str, item: str, turn: Sequence[Message]) -> bool:
    """``item`` are the words of what is to be shown, ``turn`` the messages since the turn began."""
    said = plain(quote)
    shown = [message for message in turn if message.role not in ("user", "system")]
    texts = [plain(text) for message in shown for text in _texts(message)]
    together = plain(" ".join(map(message_text, shown)))
    if not any(_stands(said, text) for text in (*texts, together)):
        said = _unquoted(said)
        if not any(_stands(said, text) for text in (*texts, together)):
            return False
    whole = _ended(said) in map(_ended, texts)
    return whole or _weight(said) >= _LEAST or bool(_telling(said) & _telling(plain(item)))


def plain(text: str) -> str:
    """Without what a quotation may change."""
    text = unicodedata.normalize("NFC", visible(text)).translate(_MARKS)
    return " ".join(_EMPHASIS.sub("", text).casefold().split())


def _unquoted(text: str) -> str:
    """Without the quotation marks that a judge sets around all of it."""
    return text[1:-1].strip() if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _ended(text: str) -> str:
    """Without the marks at its ends: ``Yes`` is the whole of ``Yes.``"""
    return text.strip(_ENDS) or text


def _texts(message: Message) -> Iterator[str]:
    yield message.text
    yield message_text(message)
    for arguments in arguments_of(message):
        try:
            yield json.dumps(json.loads(arguments), ensure_ascii=False)
        except (ValueError, RecursionError):
            continue


def _stands(said: str, text: str) -> bool:
    """As whole words."""
    place = text.find(said) if said else -1
    while place >= 0:
        end = place + len(said)
        if not _joined(text[max(0, place - 1) : place], said[0]) and not _joined(said[-1], text[end : end + 1]):
            return True
        # no other place within this word will do
        word = _WORD.match(text, place)
        place = text.find(said, word.end() if word else place + 1)
    return False


def _joined(before: str, after: str) -> bool:
    return before.isalnum() and after.isalnum() and ord(before) < _UNSPACED and ord(after) < _UNSPACED


def _telling(text: str) -> set[str]:
    """Words that say something by themselves."""
    return {word for word in tokens(text) if word not in MARKS and not _is_small(word)}


def _is_small(word: str) -> bool:
    """A letter, or a word that says nothing without others, in some language."""
    entry = lexicon().word(word)
    return (len(word) == 1 and word.isascii() and word.isalpha()) or bool(entry.known and not entry.announces)


def _weight(text: str) -> int:
    return sum(
        4 if mark.isdigit() else 2 if ord(mark) >= _UNSPACED else 1
        for word in _telling(text)
        for mark in word
        if mark.isalnum()
    )
