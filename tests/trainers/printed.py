"""What the trainers' pages print under "A whole run": blocks, and the arguments of a command."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs/trainers"

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: str, language: str) -> list[str]:
    """The blocks of a language in a page's whole run, in order."""
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8").partition("\n## A whole run\n")[2]
    return [code for kind, code in _BLOCK.findall(text) if kind == language]


def arguments(command: str, after: str) -> list[str]:
    """The words of a shell command that follow one word, up to the command's end."""
    lines = command.replace("\\\n", " ").splitlines()
    words = next(shlex.split(line, comments=True) for line in lines if after in shlex.split(line, comments=True))
    return words[words.index(after) + 1 :]
