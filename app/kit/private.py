"""Files that are the service's alone: folders and files that it makes are closed to other users of the machine.

What exists already stays as it is; :func:`find_exposed` names it, so that whoever runs the service can be told.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from trueward.errors import Unusable


def make_folder(path: Path) -> None:
    """Makes a folder, and those above it, where there is none. Raises :class:`Unusable`."""
    with explain_refusals(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)


def make_file(path: Path) -> None:
    """Makes an empty file where there is none. Raises :class:`Unusable`, also for one that cannot be written.

    One that exists is not opened: to close it again would end the locks that SQLite holds on it in this process.
    """
    with explain_refusals(path), suppress(FileExistsError):
        if path.exists():
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
            return
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def find_exposed(folder: Path, files: Sequence[Path]) -> list[Path]:
    """What every user of the machine can reach: the files that he can read or write, and the folder where he can put
    other files in their place."""
    mode = folder.stat().st_mode
    if not mode & stat.S_IXOTH:
        return []
    found = [path for path in files if path.exists() and path.stat().st_mode & (stat.S_IROTH | stat.S_IWOTH)]
    return [folder, *found] if mode & stat.S_IWOTH and not mode & stat.S_ISVTX else found


@contextmanager
def explain_refusals(path: Path) -> Iterator[None]:
    """Raises :class:`Unusable` where the operating system refuses what the block does with a file or folder."""
    try:
        yield
    except OSError as refused:
        who = f"let user {os.geteuid()} read and write it" if isinstance(refused, PermissionError) else "mend that"
        raise Unusable(
            f"{refused.filename or path}: {refused.strerror}; {who}, or name another --data-dir (TRUEWARD_DATA_DIR)"
        ) from None
