"""The writable places of a container: laying files out, keeping them, fetching them, wiping everything.

Names and trees may be a hostile program's: paths are bytes, links are never followed, and wiping works at any depth.
"""

from __future__ import annotations

import os
import stat

from .frames import CHUNK_BYTES

WORK = "/work"
TMPFS = (WORK, "/tmp", "/dev/shm")  # noqa: S108  # the container's own
WRITABLE = (*TMPFS, "/dev/mqueue")
_VIRTUAL = {"proc", "sysfs", "cgroup", "cgroup2", "devpts"}


class Store:
    """The pristine files of a program, in memory that belongs to no file system and to no process's pages.

    A memory file and an index: kept in this process's own memory they would be inherited by every child's
    peak.
    """

    def __init__(self) -> None:
        self._memory = os.memfd_create("files")
        self._entries: list[tuple[bytes, int, int, int]] = []
        self._links: list[tuple[bytes, bytes]] = []

    def clear(self) -> None:
        os.ftruncate(self._memory, 0)
        os.lseek(self._memory, 0, os.SEEK_SET)
        self._entries, self._links = [], []

    def expect(self, files: list[tuple[str, int]]) -> int:
        """Announces files as (path, size); their contents follow by :meth:`append`. Gives the bytes to come."""
        offset = 0
        for path, size in files:
            self._entries.append((os.fsencode(path), 0o644, offset, size))
            offset += size
        return offset

    def append(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self._memory, view) :]

    def lay(self) -> None:
        """Writes every file below the working directory."""
        for path, mode, offset, size in self._entries:
            target = os.path.join(os.fsencode(WORK), path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            written = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
            try:
                end = offset + size
                while offset < end:
                    offset += os.sendfile(written, self._memory, offset, end - offset)
                os.fchmod(written, mode)
            finally:
                os.close(written)
        for path, to in self._links:
            os.symlink(to, os.path.join(os.fsencode(WORK), path))

    def keep(self) -> None:
        """Takes the working directory as the new pristine state: what a compiler made is laid out from then on."""
        self.clear()
        root, offset = os.fsencode(WORK), 0
        for folder, folders, names in os.walk(root):
            for name in [*names, *folders]:
                full = os.path.join(folder, name)
                path, status = os.path.relpath(full, root), os.lstat(full)
                if stat.S_ISLNK(status.st_mode):
                    self._links.append((path, os.readlink(full)))
                elif stat.S_ISREG(status.st_mode):
                    self._copy(full, status.st_size)
                    self._entries.append((path, stat.S_IMODE(status.st_mode), offset, status.st_size))
                    offset += status.st_size

    def _copy(self, full: bytes, size: int) -> None:
        read = os.open(full, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            while size > 0 and (sent := os.sendfile(self._memory, read, None, size)):
                size -= sent
        finally:
            os.close(read)


def fetch(path: str, limit: int) -> bytes | None:
    """A regular file of the working directory with at most ``limit`` bytes, else None; no link is followed."""
    folder = os.open(WORK, os.O_PATH | os.O_DIRECTORY)
    try:
        *parents, name = path.split("/")
        for parent in parents:
            inner = os.open(parent, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    finally:
        os.close(folder)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        return b"".join(iter(lambda: os.read(file, CHUNK_BYTES), b""))[:limit]
    except OSError:
        return None
    finally:
        os.close(file)


def wipe() -> bool:
    """Empties every writable place; whether all of them are empty now."""
    for place in TMPFS:
        _renew(place)
    for place in WRITABLE:
        if os.path.isdir(place):
            _empty(os.fsencode(place))
    for place in TMPFS:
        os.utime(place)  # a program may have set its times, too
    return not any(os.listdir(place) for place in WRITABLE if os.path.isdir(place))


def _renew(place: str) -> None:
    """Takes back what a program did to a place itself, which is its user's: a mode, attributes, access lists."""
    os.chmod(place, 0o700)
    for name in os.listxattr(place):
        os.removexattr(place, name)


def _empty(root: bytes) -> None:
    """Lifts nested folders to the top and removes them there: no recursion, no long path, no new inode."""
    while entries := list(os.scandir(root)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                os.unlink(entry.path)
                continue
            os.chmod(entry.path, 0o700)
            for inner in list(os.scandir(entry.path)):
                if inner.is_dir(follow_symlinks=False):
                    os.chmod(inner.path, 0o700)
                    os.rename(inner.path, os.path.join(root, os.urandom(12).hex().encode()))
                else:
                    os.unlink(inner.path)
            os.rmdir(entry.path)


def find_writable_mounts() -> list[str]:
    """Mounts that this user can write besides those that are wiped: with one, no reset is proven."""
    found = []
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as mounts:
        for line in mounts:
            before, _, after = line.partition(" - ")
            place, options = before.split()[4:6]
            if after.split()[0] in _VIRTUAL or "rw" not in options.split(","):
                continue
            if place not in WRITABLE and os.access(place, os.W_OK) and not stat.S_ISCHR(os.stat(place).st_mode):
                found.append(place)
    return found


def fullest_bytes() -> int:
    """What lies in the fullest of the bounded places. A compiler's limit may be wider than the program's."""
    states = map(os.statvfs, TMPFS)
    return max((state.f_blocks - state.f_bfree) * state.f_frsize for state in states)
