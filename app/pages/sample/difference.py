"""How an answer differs from its reference: by characters where both are short, else by words, within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from pydantic import JsonValue

from app.pages.sample.views import TextChange

LONGEST = 2_000
_CHARACTERS, _PIECES, _REFERENCES = 80, 400, 10
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def difference(references: Sequence[JsonValue], answer: str) -> list[TextChange]:
    """From the closest of the first ten references; nothing where one is the answer, or none is a text or a number."""
    told = [_text(one) for one in references[:_REFERENCES]]
    texts = [text for text in told if text is not None and len(text) <= LONGEST]
    if not texts or len(answer) > LONGEST or answer in texts:
        return []
    pairs = [(_pieces(text, answer), _pieces(answer, text)) for text in texts]
    fitting = [pair for pair in pairs if len(pair[0]) + len(pair[1]) <= _PIECES]
    if not fitting:
        return []
    return _changes(*max(fitting, key=lambda pair: SequenceMatcher(None, pair[0], pair[1], autojunk=False).ratio()))


def _changes(before: list[str], after: list[str]) -> list[TextChange]:
    changes: list[TextChange] = []
    for kind, start, end, new_start, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, new = "".join(before[start:end]), "".join(after[new_start:new_end])
        if kind == "equal":
            changes.append(TextChange(kind="same", text=gone))
            continue
        changes += [TextChange(kind="gone", text=gone)] if gone else []
        changes += [TextChange(kind="new", text=new)] if new else []
    return changes


def _pieces(text: str, beside: str) -> list[str]:
    return list(text) if max(len(text), len(beside)) <= _CHARACTERS else _WORD.findall(text)


def _text(reference: JsonValue) -> str | None:
    if isinstance(reference, str):
        return reference
    return str(reference) if isinstance(reference, (int, float)) and not isinstance(reference, bool) else None
