"""Tokens of another server's tokenizer, aligned with the characters of a text that they end with.

Tokens come as texts. Where a character is made of several, a server says U+FFFD for each (such a run covers all that
stands behind the whole token before it, which must be bytes enough), or nothing for all but the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judges.base import Unaskable
from judges.questions import Answer, Spans
from judges.remote.fields import raise_malformed
from judges.remote.template import disarm

Offsets = tuple[int, int]
_PARTIAL = "�"


@dataclass(frozen=True, slots=True)
class Token:
    """A token that was read: the first of all has neither a log-probability nor a number."""

    text: str
    logprob: float | None
    id: int | None

    @property
    def likely(self) -> float:
        return raise_malformed("a token has no log-probability") if self.logprob is None else self.logprob


def answer_spans(question: Spans, tokens: Sequence[Token], read: int) -> Answer:
    """What the tokens of prompt and text say of the question's spans."""
    offsets = align_tokens([token.text for token in tokens], disarm(question.text))
    chosen = [covering(offsets, span) for span in question.spans]
    if any(tokens[n].logprob is None for span in chosen for n in span):
        raise Unaskable("the first token of all has no probability: give a prompt, or a tokenizer with BOS")
    return Answer(
        rows=tuple(tuple(tokens[n].likely for n in span) for span in chosen),
        offsets=tuple(tuple(offsets[n] for n in span) for span in chosen),
        token_ids=tuple(tuple(tokens[n].id or 0 for n in span) for span in chosen),
        tokens=read or len(tokens),
    )


def align_tokens(tokens: Sequence[str], text: str) -> list[Offsets]:
    """For each token the characters of ``text`` that it covers: (0, 0) for those before it.

    The last token ends where the text does; the first that has a character of it may begin before it. Raises
    :class:`judges.base.Unaskable` where the tokens do not give the text.
    """
    offsets: list[Offsets] = [(0, 0)] * len(tokens)
    end, place = len(text), len(tokens) - 1
    while end > 0:
        if place < 0:
            raise _unaligned()
        if place == 0 and not tokens[0]:
            offsets[0] = (0, end)  # the first token of all, which a server says nothing of
            break
        if not tokens[place]:
            offsets[place] = offsets[place + 1] if place + 1 < len(tokens) else (end, end)
            place -= 1
            continue
        if not _whole(tokens[place], text, end):
            start, first = _run(tokens, place, text, end)
            for n in range(first, place + 1):
                offsets[n] = (start, end)
            end, place = start, first - 1
            continue
        start = max(0, end - len(tokens[place]))
        offsets[place] = (start, end)
        end, place = start, place - 1
    while 0 <= place < len(tokens) - 1 and not tokens[place]:
        offsets[place] = offsets[place + 1]
        place -= 1
    return offsets


def covering(offsets: Sequence[Offsets], span: Offsets) -> list[int]:
    """The tokens that have a character in the span: none in an empty one."""
    start, end = span
    return [n for n, (first, last) in enumerate(offsets) if first < end and last > start and start < end]


def _whole(token: str, text: str, end: int) -> bool:
    """Whether the text before ``end`` ends with the token, or is the end of it."""
    if _PARTIAL in token:
        return text.endswith(token, 0, end)
    return text.endswith(token, 0, end) or (end < len(token) and token.endswith(text[:end]))


def _run(tokens: Sequence[str], place: int, text: str, end: int) -> tuple[int, int]:
    """Where a run of partial tokens that ends at ``end`` begins, in the text and among the tokens."""
    first = place
    while first >= 0 and (not tokens[first] or _PARTIAL in tokens[first]):
        first -= 1
    if first == place:
        raise _unaligned()
    anchor = tokens[first] if first >= 0 else ""
    start = end
    while start > 0 and (start == end or not (anchor and text.endswith(anchor, 0, start))):
        start -= 1
        if ord(text[start]) < 0x80 and not any(text[start] in token for token in tokens[first + 1 : place + 1]):
            raise _unaligned()
    if len(text[start:end].encode(errors="replace")) < place - first:
        raise _unaligned()
    return start, first + 1


def _unaligned() -> Unaskable:
    return Unaskable("the server's tokens do not give the text: nothing can be read at places in it")
