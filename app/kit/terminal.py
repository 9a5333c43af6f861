"""Around work that somebody waits for at a terminal: a database that cannot be used ends it in a sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from trueward.errors import TruewardError, Unavailable, Unusable

_REFUSED = frozenset({"08", "28", "3D", "57"})
"""Classes of SQLSTATE: connection, credentials, no such database, shutting down."""

_FILE = (
    (
        "SQLITE_NOTADB",
        "is no database of SQLite, or its head is damaged: put the backup back, or name another",
    ),
    ("SQLITE_CORRUPT", "is damaged: put the backup back, or save what can be read with `sqlite3 FILE .recover`"),
    ("SQLITE_BUSY", "is locked by another program: stop that first"),
    ("SQLITE_FULL", "is on a disk that is full: make room there"),
    ("SQLITE_IOERR", "cannot be read or written: look after its disk"),
    ("SQLITE_CANTOPEN", "cannot be opened: let user {user} read and write it, and its folder"),
    ("SQLITE_READONLY", "cannot be written: let user {user} read and write it, and its folder"),
)
"""How the names of SQLite's errors begin, and what to do about each."""


@contextmanager
def explain_outages(url: str) -> Iterator[None]:
    """Raises :class:`Unavailable` where the database could not be reached, :class:`Unusable` where its file cannot be
    used; whatever else goes wrong stays as it is."""
    try:
        yield
    except (OSError, DBAPIError) as failure:
        refusal = _of_file(url, failure) or _unreached(url, failure)
        if refusal is None:
            raise
        # the driver's own frames say nothing that the sentence does not
        raise refusal from None


def redact_password(url: str) -> str:
    """The URL as people may see it: without its password."""
    return make_url(url).render_as_string(hide_password=True)


def _of_file(url: str, failure: OSError | DBAPIError) -> TruewardError | None:
    origin = failure.orig if isinstance(failure, DBAPIError) else failure
    name = getattr(origin, "sqlite_errorname", "")
    for kind, what in _FILE:
        if name.startswith(kind):
            file = make_url(url).database
            return Unusable(f"the database {file} {what.format(user=os.geteuid())} ({origin})")
    return None


def _unreached(url: str, failure: OSError | DBAPIError) -> TruewardError | None:
    if isinstance(failure, OSError):
        # else it is a file of the command's, such as the folder of an export
        known = failure.filename is None
    else:
        state = getattr(failure.orig, "sqlstate", None)
        known = state[:2] in _REFUSED if state else isinstance(failure, OperationalError)
    said = str(failure.orig if isinstance(failure, DBAPIError) else failure).partition("\n")[0]
    return Unavailable(f"the database {redact_password(url)} cannot be reached: {said}") if known else None
