"""The SQLite file of a running service: damaged, or not the file that it opened.

What is found damaged stays so until a restart, and is logged once. A file that was removed or replaced is another
matter: SQLite goes on writing to the one that it has open, which nobody finds again, so nothing is read or written
until the file is back.
"""

from __future__ import annotations

import errno
import sqlite3
from pathlib import Path
from urllib.parse import quote

import structlog

_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
log = structlog.get_logger(__name__)


class FileReplaced(OSError):
    """Another file has the name of the database, or none has."""


class DataFile:
    """``damage`` says what SQLite found wrong with the file since :meth:`open`; empty where nothing is.

    A service opens it once it has started; until then a damaged file is a start that fails, and told as such.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""
        self._opened: tuple[int, int] | None = None
        self._glance: sqlite3.Connection | None = None
        self._glances = 0

    def open(self) -> None:
        """The file that is there now is the one."""
        self._opened = self._there()

    def stamp(self) -> tuple[int, int] | None:
        """Another value after every commit, whoever made it; None where the file is in trouble and has to be read.

        It takes microseconds, and never waits for a writer.
        """
        if self._opened is None or self._there() != self._opened or self.damage:
            return None
        try:
            if self._glance is None:
                where = f"file:{quote(str(self.path))}?mode=ro"
                self._glance = sqlite3.connect(where, uri=True, timeout=0.0, check_same_thread=False)
                self._glances += 1  # a connection counts for itself
            return self._glances, int(self._glance.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            self.close()
            return None

    def close(self) -> None:
        """Lets go of what :meth:`stamp` keeps open."""
        if self._glance is not None:
            self._glance.close()
            self._glance = None

    def check(self) -> None:
        """Raises :class:`FileReplaced`, once the file was opened."""
        if self._opened is None or self._there() == self._opened:
            return
        raise FileReplaced(
            errno.ESTALE,
            "the database was removed or replaced while the service had it open: stop the service, put the file back "
            "and start again",
            str(self.path),
        )

    def note_error(self, error: BaseException) -> None:
        """Notes an error of SQLite's that says that the open file is damaged; any other is nothing to it."""
        if self._opened is not None and is_damage(error) and not self.damage:
            self.damage = f"the database {self.path} is damaged ({error}): stop the service and put a backup back"
            log.error("the database is damaged", reason=self.damage)

    def _there(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino


def is_damage(error: BaseException | None) -> bool:
    """Whether SQLite says that its file is damaged, or is no database; ``error`` is the driver's."""
    return getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)
