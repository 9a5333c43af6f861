"""Search/replace blocks as SWE-RL has them (arXiv 2502.18449, Meta's release): found in a text, applied to files.

A block is a fence with ``### path``, ``<<<<<<< SEARCH``, ``=======`` and ``>>>>>>> REPLACE`` on lines of their own.
The search text has to match from the beginning of a line, and is replaced wherever it does. Beyond the release: a
replacement may be no line at all, and the files that result are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from verifiers.patch.path import defect

LARGEST = 2_000_000
"""Characters of all files that a patch may result in."""

_BLOCK = re.compile(
    r"```.*?\n### (.*)\n<<<<<<< SEARCH\n([\s\S]*?)\n=======\n([\s\S]*?)(?:\n|(?<=\n=======\n))>>>>>>> REPLACE\n```"
)

Files = Mapping[str, str]


class PatchError(ValueError):
    """The policy's patch cannot be read or applied: a stable code beside the words."""

    def __init__(self, reason_code: str, reason: str) -> None:
        super().__init__(reason)
        self.reason_code = reason_code


def apply_edits(text: str, files: Files) -> dict[str, str]:
    """The files that the blocks of a text change, as they are afterwards. Raises :class:`PatchError`."""
    found = _BLOCK.findall(text)
    if not found:
        raise PatchError("no_edits", "there is no search/replace block")
    changed: dict[str, str] = {}
    for path, search, replace in found:
        if problem := defect(path):
            raise PatchError("bad_path", f"the path {path[:100]!r} cannot be patched: {problem}")
        if search == replace:
            raise PatchError("empty_edit", f"a block of {path[:100]} replaces a text by itself")
        # the line's beginning is part of the search, so that indentation counts
        content = "\n" + changed.get(path, files.get(path, ""))
        matches = content.count("\n" + search)
        if not matches:
            raise PatchError("search_not_found", f"a search text does not occur in {path[:100]}")
        grown = len(content) + matches * (len(replace) - len(search))
        if grown + sum(map(len, changed.values())) > LARGEST:
            raise PatchError("patch_too_large", f"the files that result have more than {LARGEST} characters")
        changed[path] = content.replace("\n" + search, "\n" + replace)[1:]
    return changed
