"""What a person calls a stored thing: its id, ``latest``, its name, its run, or how its id begins.

The first of these that anything answers to decides. A name, or a beginning, that several answer to is refused; of
those of one run the newest is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, func, or_

from trueward.errors import InvalidRequest

LATEST = "latest"
_SHORTEST = 4
"""Characters that the beginning of an id has at least."""
_LISTED = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """One stored thing; ids sort by time."""

    id: str
    name: str
    run: str | None


def match_columns(said: str, id_: Any, name: Any, run: Any) -> list[ColumnElement[bool]]:
    """Conditions on the columns of ids, names and runs: what may be meant; ``latest`` may mean any."""
    if said == LATEST:
        return []
    begins = [func.substr(id_, 1, len(said)) == said] if len(said) >= _SHORTEST else []
    return [or_(id_ == said, name == said, run == said, *begins)]


def resolve(said: str, kind: str, found: Sequence[Candidate]) -> str | None:
    """The id of what is meant among those that may be; None where nothing is.

    Raises :class:`InvalidRequest` where several are.
    """
    if said == LATEST:
        return max((one.id for one in found), default=None)
    if any(one.id == said for one in found):
        return said
    if named := [one.id for one in found if one.name == said]:
        return _only(named, said, kind, "are called")
    if of_run := [one.id for one in found if one.run == said]:
        return max(of_run)
    begun = [one.id for one in found if len(said) >= _SHORTEST and one.id.startswith(said)]
    return _only(begun, said, kind, "begin with") if begun else None


def _only(ids: Sequence[str], said: str, kind: str, how: str) -> str:
    if len(ids) == 1:
        return ids[0]
    newest = ", ".join(sorted(ids, reverse=True)[:_LISTED])
    raise InvalidRequest(f"{len(ids)} {kind}s {how} {said[:100]!r}: name one by its id (newest first: {newest})")
