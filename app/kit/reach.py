"""Around work that somebody waits for at a terminal: a database that is not there ends it in a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import make_url
from sqlalchemy.exc import DBAPIError, OperationalError

from trueward.errors import Unavailable

_REFUSED = frozenset({"08", "28", "3D", "57"})
"""Classes of SQLSTATE: connection, credentials, no such database, shutting down."""


@contextmanager
def reaching(url: str) -> Iterator[None]:
    """Raises :class:`Unavailable` where the database could not be reached; whatever else goes wrong stays as it is."""
    try:
        yield
    except (OSError, DBAPIError) as failure:
        if not _unreached(failure):
            raise
        said = str(failure.orig if isinstance(failure, DBAPIError) else failure).partition("\n")[0]
        # the driver's own frames say nothing that the sentence does not
        raise Unavailable(f"the database {shown(url)} cannot be reached: {said}") from None


def shown(url: str) -> str:
    """The URL as people may see it: without its password."""
    return make_url(url).render_as_string(hide_password=True)


def _unreached(failure: OSError | DBAPIError) -> bool:
    if isinstance(failure, OSError):
        return failure.filename is None  # else it is a file of the command's, such as the folder of an export
    state = getattr(failure.orig, "sqlstate", None)
    return state[:2] in _REFUSED if state else isinstance(failure, OperationalError)
