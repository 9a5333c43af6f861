"""Parts of pages that commands write: what stands between two marks, which no reader sees."""

from __future__ import annotations

import re
from pathlib import Path


def part(page: Path, begin: str, end: str) -> str:
    """What stands between the marks. Raises :class:`ValueError` where they are not there."""
    text = page.read_text(encoding="utf-8")
    start = text.index(begin) + len(begin)
    return text[start : text.index(end, start)]


def write_part(page: Path, begin: str, end: str, body: str) -> None:
    """Puts a body between the marks, in the place of what stood there."""
    text = page.read_text(encoding="utf-8")
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    made = f"{begin}\n{body}\n{end}"
    page.write_text(re.sub(pattern, lambda _: made, text, count=1, flags=re.DOTALL), encoding="utf-8")
