"""Search/replace blocks as SWE-RL has them (arXiv 2502.18449, Meta's release): found in a text, applied to files.

A block is a fence with ``### path``, ``<<<<<<< SEARCH``, ``=======`` and ``>>>>>>> REPLACE`` on lines of their own.
The search text has to match from the beginning of a line, and is replaced wherever it does. Beyond the release: a
replacement may be no line at all, and the files that result are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from verifiers.patch.path import defect

LARGEST = 2_000_000
"""Characters of all files that a patch may result in."""

_HERE = re.compile(r"(?=[^\n]*```)[^\n]*+\n### (.*)\n<<<<<<< SEARCH\n")
_OPENING = re.compile(f"^{_HERE.pattern}", re.MULTILINE)
_DIVIDER = "\n=======\n"
_CLOSING = ">>>>>>> REPLACE\n```"

Files = Mapping[str, str]


class PatchError(ValueError):
    """The policy's patch cannot be read or applied: a stable code beside the words."""

    def __init__(self, reason_code: str, reason: str) -> None:
        super().__init__(reason)
        self.reason_code = reason_code


def find_blocks(text: str) -> Iterator[tuple[str, str, str]]:
    """The path, the search text and the replacement of each block, in order. Linear in the text's length."""
    at = 0
    # a block may begin on the line on which the one before ends
    while (opening := _HERE.match(text, at) or _OPENING.search(text, at)) is not None:
        divider = text.find(_DIVIDER, opening.end())
        replace = divider + len(_DIVIDER)
        empty = divider >= 0 and text.startswith(_CLOSING, replace)
        end = replace if empty else text.find("\n" + _CLOSING, replace)
        if divider < 0 or end < 0:
            return  # nor is there one for any later block
        yield opening[1], text[opening.end() : divider], text[replace:end]
        at = end + len(_CLOSING) + (not empty)


def apply_edits(text: str, files: Files) -> dict[str, str]:
    """The files that the blocks of a text change, as they are afterwards. Raises :class:`PatchError`."""
    found = list(find_blocks(text))
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
