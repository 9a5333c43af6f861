r"""A response as the rules read it: without invisible characters, full width folded to ASCII, line ends as ``\n``.

So ``<ＡＮＳＷＥＲ>`` and ``\bo\u200bxed{5}`` are found for what a reader sees. The answer itself is cut from the
original, whose invisible characters may matter (joiners in Persian, Hindi and emoji). Linear in the text's length.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]+"
)
_FOLD = {
    **{0xFF01 + i: chr(0x21 + i) for i in range(94)},
    **{ord(c): "\n" for c in "\v\f\x1c\x1d\x1e\x85\u2028\u2029"},
    **{ord(c): " " for c in "\r\u00a0\u202f\u205f\u3000"},
    **dict.fromkeys(range(0x2000, 0x200B), " "),
    ord("\u2019"): "'",
}  # fmt: skip

_ENDED = re.compile(r"<(?:\|[^|<>\s]{1,40}\||/s|eos|end_of_turn|return)>\Z")
_MOST_ENDS = 8


@dataclass(frozen=True, slots=True)
class Reading:
    """``text`` is what rules read; ``removed`` counts the visible characters before each invisible one."""

    text: str
    removed: tuple[int, ...] = ()

    def original(self, span: tuple[int, int]) -> tuple[int, int]:
        """The span in the original, with the invisible characters at both of its ends."""
        start, end = span
        return start + bisect_left(self.removed, start), end + bisect_right(self.removed, end)


def reading(text: str) -> Reading:
    if text.isascii():
        return Reading(_without_end(text.replace("\r", " ") if "\r" in text else text))
    removed: list[int] = []
    for gone in _INVISIBLE.finditer(text):
        removed.extend([gone.start() - len(removed)] * (gone.end() - gone.start()))
    if removed:
        text = _INVISIBLE.sub("", text)
    return Reading(_without_end(text.translate(_FOLD)), tuple(removed))


def _without_end(text: str) -> str:
    """Without the special tokens that end a turn (``<|im_end|>``, ``</s>``), where a trainer left them in."""
    for _ in range(_MOST_ENDS):
        bare = text.rstrip()
        ended = _ENDED.search(bare, max(0, len(bare) - 50)) if bare.endswith(">") else None
        if ended is None:
            break
        text = bare[: ended.start()]
    return text
