"""The characters of a response's text that each of its sampled tokens stands for.

They are those of the tokens that were sampled, found by decoding more and more of them: the same text made into tokens
again may have others. The tokens of a character that takes several (bytes) all have that character; special tokens, and
an end token, have none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from transformers import PreTrainedTokenizerBase

from trueward.trainers.alignment import Span

WINDOW = 32
"""Tokens after which decoding begins anew, with as many before them as context: the time then grows with the length."""


def offsets_of(tokens: Sequence[int], text: str, tokenizer: PreTrainedTokenizerBase) -> list[Span] | None:
    """One span a token, in order and without gaps; None where the text is not what these tokens say."""

    def decode(some: Sequence[int]) -> str:
        return str(tokenizer.decode(list(some), skip_special_tokens=True))

    special = frozenset(tokenizer.all_special_ids)
    # a tokenizer whose words depend on what is far behind them is decoded from the beginning each time
    for window in (WINDOW, len(tokens) + 1):
        ends = _ends(tokens, text, decode, window)
        if (ends[-1] if ends else 0) == len(text):
            return _spans([token in special for token in tokens], ends, len(text))
    return None


def _ends(tokens: Sequence[int], text: str, decode: Callable[[Sequence[int]], str], window: int) -> list[int]:
    """How many characters of the text stand once each token is said; a character that is not whole does not."""
    ends: list[int] = []
    start = settled = done = 0
    context = ""
    for place in range(len(tokens)):
        said = decode(tokens[start : place + 1])
        new = said[len(context) :] if said.startswith(context) else ""
        stands = done + _alike(new, text[done : done + len(new)])
        ends.append(max(stands, ends[-1] if ends else 0))
        if place + 1 - settled >= window and done + len(new) == ends[-1]:
            start, settled, done = settled, place + 1, ends[-1]
            context = decode(tokens[start:settled])
    return ends


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common from their beginning on."""
    apart = (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b)
    return len(one) if one == other else next(apart, min(len(one), len(other)))


def _spans(special: Sequence[bool], ends: Sequence[int], length: int) -> list[Span]:
    found, begin = [], 0
    for apart, end in zip(special, ends, strict=True):
        # what adds nothing yet is a byte of the character that comes
        unfinished = begin == end and not apart and begin < length
        found.append((begin, begin + 1 if unfinished else end))
        begin = end
    return found
