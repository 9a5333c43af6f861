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
    return _WORDED.sub(_apart, text) if "{" in text and "\\" in text else text


def _apart(found: re.Match[str]) -> str:
    lowered = found["words"].lower()
    if not any(noun in lowered for noun, _ in cues(ascii_only=lowered.isascii())):
        return found[0]
    opened, closed = found["open"] or "", found["close"] or ""
    said = " " * (len(opened) + len(found["lead"])) + found["words"] + " " + (found["mark"] or "")
    if not opened:
        return said + closed
    if closed:
        return said + " " * len(closed)
    # the formula begins where the words end
    return said[len(opened) :] + opened
