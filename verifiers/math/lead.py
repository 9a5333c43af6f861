r"""What stands before an answer and says nothing: ``The answer is``, ``=``, ``\approx``, ``\therefore``, ``Thus,``."""

from __future__ import annotations

import re

_WORDS = r"(?:so |thus |hence |therefore )?(?:the )?(?:final |correct )?answer"
_LEAD = re.compile(
    rf"(?:\\text\s?\{{\s?{_WORDS}(?: is)?\s?:?\s?\}}|{_WORDS}(?: is\s?:?|\s?:)(?!\w)"
    r"|\\(?:approx|therefore|implies|Rightarrow|Longrightarrow|simeq)(?![A-Za-z])|=>|[=≈∴⇒⟹~:])\s*(?=\S)"
    r"|(?:所以|因此|答案[是为]|一共|总共|共|有|是|为|等于|得){1,4}\s*(?=[-\d\\$])",
    re.IGNORECASE,
)


def announced(text: str) -> int:
    """Where the answer begins in a text that is more than its announcement; 0 where nothing stands before it."""
    found = _LEAD.match(text)
    return found.end() if found is not None else 0
