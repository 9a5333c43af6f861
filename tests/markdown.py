"""The parts of a Markdown page that can be held against the truth: marked code blocks and links.

A block is run when ``<!-- test -->`` stands right before its fence; the block after ``<!-- output -->`` that
follows it is what it must print, with ``...`` for whatever changes and white space left out of account.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(
    r"<!-- test -->\s*```(?P<language>\w+)\n(?P<code>.*?)```"
    r"(?:[^`]*?<!-- output -->\s*```\w*\n(?P<output>.*?)```)?",
    re.DOTALL,
)
_FENCED = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} (.+)$", re.MULTILINE)
_TARGET = re.compile(r"\]\((?P<page>[^)#\s]*)#(?P<section>[^)\s]+)\)")
_LINK = re.compile(r"\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A block to run, and what it must print (None: anything)."""

    page: Path
    language: str
    code: str
    output: str | None


def blocks(page: Path) -> Iterator[Block]:
    """The blocks of a page that are marked to be run, in order."""
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        yield Block(page, match["language"], match["code"], match["output"])


def links(page: Path) -> Iterator[str]:
    """Targets of the page's links within the project."""
    for match in _LINK.finditer(page.read_text(encoding="utf-8")):
        if "://" not in match["target"] and not match["target"].startswith("mailto:"):
            yield match["target"]


def sections(page: Path) -> Iterator[tuple[str, Path, str]]:
    """Links to a section, within the project: as written, the page that they lead to, and the section."""
    for match in _TARGET.finditer(page.read_text(encoding="utf-8")):
        if "://" not in match["page"]:
            yield match[0], page.parent / match["page"] if match["page"] else page, match["section"]


def slugs(page: Path) -> set[str]:
    """The sections of a page, as links name them: the heading's letters and digits, with hyphens for blanks."""
    headings = _HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def matches(printed: str, expected: str) -> bool:
    """Whether a text is as shown: ``...`` stands for anything, white space does not count."""
    pattern = ".*?".join(re.escape(_dense(part)) for part in expected.split("..."))
    return re.fullmatch(pattern, _dense(printed), re.DOTALL) is not None


def _dense(text: str) -> str:
    return re.sub(r"\s+", "", text)
