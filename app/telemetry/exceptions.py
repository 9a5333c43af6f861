"""What a log may say of an exception: its type, its causes, its place; its words where they cannot quote a sample."""

from __future__ import annotations

import traceback

from sqlalchemy.exc import DBAPIError

from app.kit.db import is_outage
from trueward.errors import TruewardError

MOST_CHARACTERS = 500
_MOST_CAUSES = 5
_MOST_PLACES = 40


class Mishaps:
    """``samples``: messages are shown as they are, to :data:`MOST_CHARACTERS`."""

    def __init__(self, *, samples: bool) -> None:
        self._samples = samples

    def words(self, failure: BaseException) -> str:
        """One line: the types of the exception and of what caused it, and what it may say."""
        types = " < ".join(type(one).__name__ for one in _causes(failure))
        said = str(failure) if self._samples else _harmless(failure)
        return f"{types}: {said[:MOST_CHARACTERS]}" if said else types

    def trace(self, failure: BaseException) -> str:
        """Its words, and where each of its causes arose, the cause first."""
        lines = []
        for one in reversed(_causes(failure)):
            places = traceback.extract_tb(one.__traceback__)[-_MOST_PLACES:]
            lines += [f"{place.filename}:{place.lineno} in {place.name}" for place in places]
            lines.append(self.words(one))
        return "\n".join(lines)


def _causes(failure: BaseException) -> list[BaseException]:
    found = [failure]
    while len(found) < _MOST_CAUSES:
        last = found[-1]
        cause = last.__cause__ or (None if last.__suppress_context__ else last.__context__)
        if cause is None or cause in found:
            break
        found.append(cause)
    return found


def _harmless(failure: BaseException) -> str:
    """What the operating system, an unreachable database and our own refusals say. What else is raised while samples
    are judged and stored may hold one of them in its words."""
    if isinstance(failure, DBAPIError):
        said = str(failure.orig) if is_outage(failure) else ""
        return said.partition("\n")[0]
    return str(failure) if isinstance(failure, OSError | TruewardError) else ""
