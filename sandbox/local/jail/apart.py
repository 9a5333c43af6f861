"""A root of the slot's own: the same files as those of the common root, in inodes that no other slot has.

A mount that is read-only still shares its inodes: a lock, a lease, a watch or a time stamp that one program sets on
``/usr/bin/env`` or ``/dev/null`` is seen by every other one, and by the host. So each slot gets its own tmpfs, with
copies of small files and device nodes of its own, and lays an overlay over every folder of the host: the kernel keeps
locks and watches by the overlay's inodes, and contents still come from the host's page cache.

What the kernel refuses here is shared as it is in the common root, and told.
"""

from __future__ import annotations

# ruff: noqa: PTH101, PTH103, PTH106, PTH108, PTH110, PTH115, PTH116, PTH118, PTH208, PTH211, S103 - plain system calls, in the order in which they happen
import os
import shutil
import stat
from contextlib import suppress

from .root import BOX, HIDDEN_PROC, NOTHING, cover_proc, restrict_root
from .syscalls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_RDONLY,
    MS_REC,
    mount,
    pivot_root,
    restrict_mount,
    unmount,
)

_OWN = ("/", BOX, "/proc")


def separate(host_proc: int) -> list[str]:
    """Moves into a root of this process's own, in a mount namespace that is new. Gives what stayed shared.

    ``host_proc``: a descriptor of the host's /proc. Raises OSError where there can be no such root at all.
    """
    mounted = [path for path in _mounts(host_proc) if path not in _OWN and not path.startswith(HIDDEN_PROC)]
    mount("tmpfs", BOX, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=16m,nr_inodes=4k")
    os.chdir(BOX)
    _copy("/", os.stat("/").st_dev)
    mount("tmpfs", f"{BOX}/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=4k,nr_inodes=64")
    _copy("/dev", os.stat("/dev").st_dev)
    shared = [path for path in mounted if not _show(path)]
    restrict_mount(f"{BOX}/dev", MS_RDONLY | MS_NOSUID | MS_NOEXEC)
    mount(HIDDEN_PROC, f"{BOX}{HIDDEN_PROC}", None, MS_BIND | MS_REC)
    pivot_root(".", BOX.lstrip("/"))
    os.chdir("/")
    unmount(BOX)
    os.rmdir(NOTHING)
    cover_proc()
    restrict_root()
    return shared


def _mounts(host_proc: int) -> list[str]:
    """Where something is mounted, in the order in which it was."""
    with open("self/mountinfo", "rb", opener=lambda path, flags: os.open(path, flags, dir_fd=host_proc)) as table:
        written = [line.split()[4] for line in table]
    # blanks and the like are written in octal, as Python does it
    return [os.fsdecode(path.decode("unicode_escape").encode("latin-1")) for path in written]


def _copy(folder: str, device: int) -> None:
    """Copies what lies in the common root itself; places for what is mounted there."""
    for name in sorted(os.listdir(folder)):
        source = os.path.join(folder, name)
        target = f"{BOX}{source}"
        kind = os.lstat(source)
        if stat.S_ISLNK(kind.st_mode):
            os.symlink(os.readlink(source), target)
        elif stat.S_ISDIR(kind.st_mode):
            os.makedirs(target, exist_ok=True)
            os.chmod(target, 0o755)
            if kind.st_dev == device and source not in (*_OWN, "/dev"):
                _copy(source, device)
        elif stat.S_ISREG(kind.st_mode):
            shutil.copyfile(source, target)
            os.chmod(target, 0o644)


def _show(path: str) -> bool:
    """Puts what is mounted there into the own root; whether it is the slot's alone."""
    target = f"{BOX}{path}"
    try:
        kind = os.lstat(path).st_mode
    except OSError:  # out of reach here, and so for programs
        return True
    if stat.S_ISDIR(kind):
        with suppress(OSError):
            mount("overlay", target, "overlay", MS_RDONLY | MS_NOSUID | MS_NODEV, f"lowerdir={_plain(path)}:{NOTHING}")
            return True
    elif stat.S_ISREG(kind) and os.path.exists(target) and os.stat(target).st_dev == os.stat(BOX).st_dev:
        return True  # it was copied
    elif stat.S_ISCHR(kind) and _made(target, os.lstat(path)):
        return True
    if not os.path.exists(target):
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(path, target, None, MS_BIND | MS_REC)
    device = MS_NOEXEC if stat.S_ISCHR(kind) else MS_NODEV
    restrict_mount(target, MS_RDONLY | MS_NOSUID | device)
    return False


def _made(target: str, device: os.stat_result) -> bool:
    """Whether there is a device node of its own now, which works: only root outside may make one."""
    try:
        os.mknod(target, stat.S_IFCHR | 0o666, device.st_rdev)
        os.chmod(target, 0o666)
        os.close(os.open(target, os.O_RDONLY))
    except OSError:
        with suppress(OSError):
            os.unlink(target)
        return False
    return True


def _plain(path: str) -> str:
    """A path as the overlay's options write it."""
    for special in "\\:,":
        path = path.replace(special, f"\\{special}")
    return path
