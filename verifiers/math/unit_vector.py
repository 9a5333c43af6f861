r"""A vector as a sum over unit vectors, as its components: ``2\hat{i} - \hat{k}`` is (2, 0, -1)."""

from __future__ import annotations

import re

_TERM = re.compile(r"\s*([-+]?)\s*((?:[^{}+-]|\{[^{}]{0,80}\})*?)\s*(?:\\cdot\s*)?\\hat\{([ijk])\}\s*")


def components(text: str) -> tuple[str, ...] | None:
    """The texts of the components, as many as the last unit vector asks for (at least two), else None."""
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None or term[3] in found or (at and not term[1]):
            return None
        found[term[3]] = f"{term[1]}{term[2] or '1'}"
        at = term.end()
    names = "ijk" if "k" in found else "ij"
    return tuple(found.get(name, "0") for name in names) if found else None
