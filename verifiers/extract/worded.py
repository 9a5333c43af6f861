r"""Announcements that LaTeX sets as text: ``$$\text{Final answer: } 42$$``, ``\textbf{Answer:} 42``.

Rules that look for phrases read words and marks of mathematics apart, so the words come out of the command and the
formula begins behind them: ``Final answer:  $$ 42$$``.
"""

from __future__ import annotations

import re

from verifiers.extract.vocabulary import cues

_WORDED = re.compile(
    r"(?P<open>\$\$?|\\[\[(])?(?P<lead>\s{0,3}\\(?:text(?:bf|it|rm|sf|tt|normal|up)?|math(?:bf|rm|it|sf)|mbox|emph"
    r"|underline|bf|boldsymbol)\s?\{)(?P<words>[^{}$\\]{1,100})(?P<end>\})(?P<mark>\s?[:=])?"
    r"(?P<close>\s{0,3}(?:\$\$?|\\[\])]))?"
)


def with_words_apart(text: str) -> str:
    """The text, as long as before, with such words before their formula instead of in it. Linear."""
    if "{" not in text or "\\" not in text:
        return text
    pieces: list[str] = []
    end = counted = double = single = 0
    for found in _WORDED.finditer(text):
        lowered = found["words"].lower()
        if not any(noun in lowered for noun, _ in cues(ascii_only=lowered.isascii())):
            continue
        if not found["open"] and "\n" not in found["lead"] and _stands_behind(text, found.start()):
            continue
        double += text.count("$$", counted, found.start())
        single += text.count("$", counted, found.start()) - text.count("\\$", counted, found.start())
        counted = found.start()
        closes = {"$$": double % 2 == 1, "$": single % 2 == 1}.get(found["open"] or "", False)
        pieces += [text[end : found.start()], _apart(found, closes=closes)]
        end = found.end()
    return "".join(pieces) + text[end:] if pieces else text


def _stands_behind(text: str, start: int) -> bool:
    r"""Whether something is said before the words: ``12 \text{ is the only solution}`` announces nothing."""
    before = text[max(0, start - 9) : start].rstrip(" \t~")
    return before[-1:].isalnum() or (before.endswith((")", "}", "]")) and not before.endswith(("\\)", "\\]")))


def _apart(found: re.Match[str], *, closes: bool) -> str:
    """``closes`` says that the mark before the command ends another formula."""
    before, closed = found["open"] or "", found["close"] or ""
    opened = "" if closes else before
    said = " " * len(found["lead"]) + found["words"] + " " + (found["mark"] or "")
    if not opened:
        return before + said + closed
    if closed:
        return " " * len(opened) + said + " " * len(closed)
    # the formula begins where the words end
    return said + opened
