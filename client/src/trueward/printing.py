"""Text that strangers wrote, as it may be printed: below the commands, for sinks print it elsewhere."""

from __future__ import annotations


def plain(value: str) -> str:
    """The same text without control characters that a terminal would obey."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in value)
