"""The readings of a response that the loose mode accepts, as IFEval has them.

The response as it stands, without its first line, without its last, without both; each also without
asterisks. They forgive an introduction ("Sure, here it is:"), a closing remark and Markdown emphasis.
"""

from __future__ import annotations

from collections.abc import Iterator


def readings(text: str) -> Iterator[str]:
    """The readings that are not blank, each once, the response itself first."""
    lines = text.split("\n")
    whole = [text, *("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))]
    distinct = dict.fromkeys([*whole, *(reading.replace("*", "") for reading in whole)])
    return (reading for reading in distinct if reading.strip())
