"""Brings files of a finished run back: each one's content into a memfd, then an index and the index's length.

The kernel copies the content; it never enters this process. No link of any kind is followed, and only regular
files count, so a hostile working directory yields nothing but its own bytes.
"""

from __future__ import annotations

# ruff: noqa: PTH118 - plain system calls, in the order in which they happen
import json
import os
import stat
from collections.abc import Iterable, Iterator

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_MOST_FILES = 4096
_DEEPEST = 32


def names_below(folder: str) -> list[str]:
    """Every file below a folder, relative to it; at most ``_MOST_FILES``, at most ``_DEEPEST`` deep."""
    found: list[str] = []
    for path, folders, files in os.walk(folder):
        relative = os.path.relpath(path, folder)
        if relative.count("/") >= _DEEPEST:
            folders.clear()
        found.extend(os.path.normpath(os.path.join(relative, name)) for name in files)
        if len(found) > _MOST_FILES:
            break
    return sorted(found[:_MOST_FILES])


def collect(folder: str, names: Iterable[str], out: int, file_bytes: int) -> None:
    """Copies the named files to ``out``; those that are missing, special or too large are left out."""
    index = list(_copied(folder, names, out, file_bytes))
    text = json.dumps(index).encode()
    os.write(out, text + len(text).to_bytes(8, "big"))


def _copied(folder: str, names: Iterable[str], out: int, file_bytes: int) -> Iterator[tuple[str, int, int]]:
    for name in names:
        try:
            source = _opened(folder, name)
        except OSError:
            continue  # missing, or a link, or not to be read: the program's own doing
        try:
            found = os.fstat(source)
            if stat.S_ISREG(found.st_mode) and found.st_size <= file_bytes:
                yield name, stat.S_IMODE(found.st_mode), _copy(source, out, found.st_size)
        finally:
            os.close(source)


def _copy(source: int, out: int, size: int) -> int:
    done = 0
    while done < size and (step := os.sendfile(out, source, done, size - done)):
        done += step
    return done


def _opened(folder: str, name: str) -> int:
    """Opens a file, going down one folder at a time so that none of them can be a link."""
    *folders, last = name.split("/")
    here = os.open(folder, _FOLDER)
    try:
        for part in folders:
            below = os.open(part, _FOLDER, dir_fd=here)
            os.close(here)
            here = below
        return os.open(last, _FILE, dir_fd=here)
    finally:
        os.close(here)
