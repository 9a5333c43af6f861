r"""An answer without what it stands in whole: Markdown's emphasis, inline code and fenced block, LaTeX's ``\text{}``.

Underscores stay: ``__init__`` is a name. So does whatever the text holds more than once: ``*a* and *b*``.
"""

from __future__ import annotations

import re

from verifiers.extract.fence import fences

# a box is mathematics, so words in it are often set as text
_TEXT = re.compile(r"\A\s*\\(?:text(?:bf|it|rm)?|mathrm|mathbf|mbox)\{([^{}]*)\}\s*\Z")
_MARKS = ("***", "**", "*", "``", "`")


def unwrap_markdown(text: str) -> str:
    """What stands in the marks around a text, or the text itself. Linear in its length."""
    text = text.strip()
    blocks = fences(text)
    if len(blocks) == 1 and blocks[0].closed and (blocks[0].start, blocks[0].end) == (0, len(text)):
        text = blocks[0].text.strip()
    for mark in _MARKS:
        inside = text[len(mark) : -len(mark)]
        if text.startswith(mark) and text.endswith(mark) and inside.strip() and mark[0] not in inside:
            text = inside.strip()
    return text


def unwrap_latex(text: str) -> str:
    r"""What stands in ``\text{}`` and its like, or the text itself."""
    return _TEXT.sub(r"\1", text)
