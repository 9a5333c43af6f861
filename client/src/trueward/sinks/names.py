"""Names and texts that strangers chose, for places where they must do no harm: files, metrics, terminals, pages."""

from __future__ import annotations

import hashlib
import re

from trueward.printing import plain

_LONGEST = 120
_CUT = 2000
_IN_FILES = re.compile(r"[^A-Za-z0-9_.-]+")
_IN_NUMBERS = re.compile(r"[^A-Za-z0-9_./-]")


def file_name(run: str) -> str:
    """A run's name as that of a file or an id: as it is where it can be, else told apart by a digest."""
    kept = _IN_FILES.sub("-", run).strip(".-")[:_LONGEST]
    if kept and kept == run:
        return run
    return f"{kept or 'run'}-{hashlib.blake2b(run.encode(errors='replace'), digest_size=8).hexdigest()}"


def number_name(name: str) -> str:
    """The name of a number: no part of it is empty, or dots alone."""
    parts = _IN_NUMBERS.sub("_", name[:_LONGEST]).split("/")
    return "/".join(part if part.strip(".") else "_" for part in parts)


def shorten(text: str) -> str:
    """A text that a policy or a caller wrote, cut, without control characters."""
    return plain(text[:_CUT]) + ("\u2026" if len(text) > _CUT else "")
