"""The folder of this process's fork server, which holds its socket.

multiprocessing makes one that names no owner and stays where the service is killed. This one is locked for as long as
its process lives, so that the next service knows which are left, and removes them.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from multiprocessing import process, util
from pathlib import Path

PREFIX = "trueward-workers-"


def take_folder() -> None:
    """Gives multiprocessing a folder of ours, once a process, and removes those of services that were killed.

    Raises OSError where there can be none.
    """
    config = process.current_process()._config  # type: ignore[attr-defined]  # private
    if config.get("tempdir") is not None:
        return
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, or another service was faster
            _remove_left(left)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    while not _lock_folder(folder):
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    config["tempdir"] = str(folder)
    util.Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-100)


def _lock_folder(folder: Path) -> bool:
    """Locks a folder until this process ends; whether it is still there, for another service may have swept it."""
    with suppress(OSError):  # a file system without locks: then nobody sweeps there either
        fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC), fcntl.LOCK_EX)
    return folder.exists()


def _remove_left(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its service lives
        shutil.rmtree(folder)
    finally:
        os.close(opened)
