"""The versions that a lock has."""

from __future__ import annotations

import re

from packaging.utils import NormalizedName, canonicalize_name


def pinned(lock: str) -> dict[NormalizedName, str]:
    """By canonical name."""
    found = re.findall(r"^([\w.-]+)==([\w.!+-]+)", lock, re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}
