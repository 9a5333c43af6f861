"""Word lists that stand beside this module, one key with its words a line: ``key: word word word``."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def lexicon(name: str) -> dict[str, frozenset[str]]:
    """The lists of the file ``name`` in this folder, by key."""
    lists: dict[str, set[str]] = {}
    for line in (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            key, _, words = line.partition(": ")
            lists.setdefault(key, set()).update(words.split())
    return {key: frozenset(words) for key, words in lists.items()}
