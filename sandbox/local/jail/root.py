"""The file system of the jails: the host's runtime, read-only, and nothing else of the host.

A tmpfs becomes the root. In it lie ``/usr`` and what belongs to it, the Python installation, the harness, a few
files of ``/etc``, five devices, and ``/box``, where each run mounts its own tmpfs: ``/box/work`` is the working
directory, ``/tmp`` and ``/dev/shm`` are links into it. No ``/sys``, ``/var``, ``/home``; of ``/proc`` the program's own
processes alone (:mod:`.slot`); no host name, user or secret of the host. Each slot then makes a root of its own of it
(:mod:`.apart`).
"""

from __future__ import annotations

# ruff: noqa: PTH102, PTH103, PTH106, PTH110, PTH112, PTH114, PTH115, PTH120, PTH123, PTH208, PTH211 - plain system calls, in the order in which they happen
import os
from collections.abc import Iterable, Mapping

from .syscalls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    mount,
    pivot_root,
    restrict_mount,
    unmount,
)

BOX = "/box"
WORK = "/box/work"
SCRATCH = (WORK, "/box/tmp", "/box/shm")
HARNESS = "/opt/trueward"

Packages = Mapping[str, Mapping[str, str]]

HIDDEN_PROC = "/.hidden/proc"
NOTHING = "/.nothing"
"""An empty folder: an overlay that nobody can write wants two below it."""

_HIDDEN = "/.hidden"
_RUNTIME = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr")
_ETC = ("alternatives", "ld.so.cache", "localtime")
_DEVICES = ("null", "zero", "full", "random", "urandom")
_FILES = {
    "passwd": "root:x:0:0:root:/:/usr/sbin/nologin\nprogram:x:1000:1000:program:/box/work:/bin/sh\n"
    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "group": "root:x:0:\nprogram:x:1000:\nnogroup:x:65534:\n",
    "hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def build(harness: str, packages: Packages, installations: Iterable[str], etc: Iterable[str]) -> None:
    """Builds the root and moves into it; needs a mount namespace of its own.

    ``packages``: folders beside those of the harness and what to show in them, as a path of the host by name;
    ``installations``: folders outside /usr to show where they lie; ``etc``: names in /etc.
    """
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755,size=4m,nr_inodes=4k")  # noqa: S108
    os.chdir("/tmp")  # noqa: S108 - any folder that every host has; it is covered in this namespace only
    os.mkdir("host")
    pivot_root(".", "host")
    os.chdir("/")
    for name in _RUNTIME:
        _runtime(name)
    for path in installations:
        _show(f"/host{path}", path)
    for language in sorted(os.listdir(f"/host{harness}")):
        if os.path.isdir(f"/host{harness}/{language}") and not language.startswith(("_", ".")):
            _show(f"/host{harness}/{language}", f"{HARNESS}/{language}")
    for folder, shown in packages.items():
        for name, path in shown.items():
            _show(f"/host{path}", f"{HARNESS}/{folder}/{name}")
    _fill_etc({*_ETC, *etc})
    _fill_dev()
    os.mkdir(BOX)
    os.symlink("/box/tmp", "/tmp")  # noqa: S108 - the jail's own
    os.mkdir("/proc")
    os.mkdir(NOTHING)
    os.makedirs(HIDDEN_PROC)
    mount("/host/proc", HIDDEN_PROC, None, MS_BIND | MS_REC)
    unmount("/host")
    os.rmdir("/host")
    restrict_root()


def restrict_root() -> None:
    """Makes the root itself read-only."""
    mount("none", "/", None, 0x20 | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)  # 0x20: MS_REMOUNT


def _runtime(name: str) -> None:
    source = f"/host/{name}"
    if os.path.islink(source):
        os.symlink(os.readlink(source), f"/{name}")
    elif os.path.isdir(source):
        _show(source, f"/{name}")


def _show(source: str, target: str) -> None:
    """Binds a file or folder of the host, read-only."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(source, target, None, MS_BIND | MS_REC)
    restrict_mount(target, MS_RDONLY | MS_NOSUID | MS_NODEV)


def _fill_etc(shown: set[str]) -> None:
    os.mkdir("/etc")
    for name, text in _FILES.items():
        with open(f"/etc/{name}", "w", encoding="ascii") as file:
            file.write(text)
    for name in sorted(shown):
        source = f"/host/etc/{name}"
        if name not in _FILES and os.path.exists(source):
            _show(source, f"/etc/{name}")


def _fill_dev() -> None:
    os.mkdir("/dev")
    for name in _DEVICES:
        os.close(os.open(f"/dev/{name}", os.O_CREAT | os.O_WRONLY, 0o666))
        mount(f"/host/dev/{name}", f"/dev/{name}", None, MS_BIND)
        restrict_mount(f"/dev/{name}", MS_RDONLY | MS_NOSUID | MS_NOEXEC)  # of times and modes: it can be written
    os.symlink("/box/shm", "/dev/shm")  # noqa: S108 - the jail's own
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{target}", f"/dev/{name}")


def cover_proc() -> None:
    """Covers the host's /proc instead of letting it go.

    The kernel gives a user namespace a /proc of its own only while a whole one is mounted somewhere in sight.
    """
    mount("tmpfs", _HIDDEN, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0,size=4k,nr_inodes=1")
