"""Which paths a patch may name: relative, inside the repository, none of git's own."""

from __future__ import annotations

_LONGEST = 255
_DEEPEST = 20


def defect(path: str) -> str:
    """What is wrong with a path, else the empty string."""
    parts = path.split("/")
    if not path or len(path) > _LONGEST or len(parts) > _DEEPEST:
        return "it is empty, too long or too deep"
    if path.startswith("/") or "\\" in path or ":" in parts[0]:
        return "it is not relative"
    if not path.isprintable():
        return "it has characters that cannot be printed"
    if any(part in ("", ".", "..") for part in parts):
        return "it leaves its folder or is not in normal form"
    if any(part.lower() == ".git" for part in parts):
        return "it is one of git's own"
    return ""
