"""Which paths a patch may name: relative, inside the repository, none of git's own."""

from __future__ import annotations

from sandbox.base import is_path_inside

_LONGEST = 255


def defect(path: str) -> str:
    """What is wrong with a path, else the empty string."""
    parts = path.split("/")
    if not path or len(path) > _LONGEST:
        return "it is empty or too long"
    if path.startswith("/") or "\\" in path or ":" in parts[0]:
        return "it is not relative"
    if not path.isprintable():
        return "it has characters that cannot be printed"
    if any(part in ("", ".", "..") for part in parts):
        return "it leaves its folder or is not in normal form"
    if any(part.lower() == ".git" for part in parts):
        return "it is one of git's own"
    if not is_path_inside(path):  # whatever else no sandbox could lay out: a name is bounded in bytes, a path in names
        return "one of its names is too long, or it is too deep"
    return ""
