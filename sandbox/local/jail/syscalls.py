"""System calls that Python 3.11 does not wrap, by ctypes. Every failure is an OSError that names the call."""

from __future__ import annotations

import ctypes
import errno
import os

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 0x40000
MNT_DETACH = 2

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

_MACHINE = os.uname().machine
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(_MACHINE, -1)
_CAPSET = {"x86_64": 126, "aarch64": 91}.get(_MACHINE, -1)
_SECCOMP = {"x86_64": 317, "aarch64": 277}.get(_MACHINE, -1)
_SECCOMP_SET_MODE_FILTER, _SECCOMP_FILTER_FLAG_NEW_LISTENER = 1, 8
_PROCESS_VM_WRITEV = {"x86_64": 311, "aarch64": 271}.get(_MACHINE, -1)
_CLOSE_RANGE = 436
_MOUNT_SETATTR = 442
_AT_FDCWD = -100
_AT_RECURSIVE = 0x8000
_CAPABILITY_VERSION_3 = 0x20080522
_LAST_CAPABILITY = 63

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h

_libc = ctypes.CDLL(None, use_errno=True)
_holding = ctypes.PyDLL(None, use_errno=True)  # calls without giving the interpreter's lock away
# prctl and syscall are variadic: without argument types ctypes would pass 32 bits of each
_libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
_libc.syscall.argtypes = [ctypes.c_long, *[ctypes.c_void_p] * 6]
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]


def _checked(result: int, call: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{call}: {os.strerror(number)}")
    return result


def take_one_arena() -> None:
    """Has glibc's threads share one heap: each would reserve 64 MiB of the address space that a program may have.

    For this process and its forks. Other C libraries have no such heaps, and nothing changes.
    """
    mallopt = getattr(_libc, "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)


def unshare(flags: int) -> None:
    """Moves this process into new namespaces; a new pid namespace begins with its next child."""
    _checked(_libc.unshare(flags), f"unshare({flags:#x})")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2)."""
    _checked(
        _libc.mount(
            os.fsencode(source),
            os.fsencode(target),
            kind.encode() if kind else None,
            flags,
            os.fsencode(options) or None,
        ),
        f"mount {kind or source} on {target}",
    )


def unmount(target: str) -> None:
    """Detaches what is mounted there; it goes away with its last user."""
    _checked(_libc.umount2(os.fsencode(target), MNT_DETACH), f"unmount {target}")


def restrict_mount(target: str, flags: int) -> None:
    """Sets ``MS_RDONLY``, ``MS_NOSUID``, ``MS_NODEV``, ``MS_NOEXEC`` on a mount and all below it (Linux 5.12)."""
    attributes = (ctypes.c_uint64 * 4)(flags, 0, 0, 0)
    path = ctypes.create_string_buffer(os.fsencode(target))
    _checked(
        _libc.syscall(
            _MOUNT_SETATTR,
            _AT_FDCWD,
            ctypes.addressof(path),
            _AT_RECURSIVE,
            ctypes.addressof(attributes),
            ctypes.sizeof(attributes),
            0,
        ),
        f"mount_setattr {target}",
    )


def pivot_root(new_root: str, put_old: str) -> None:
    """pivot_root(2)."""
    new, old = ctypes.create_string_buffer(new_root.encode()), ctypes.create_string_buffer(put_old.encode())
    _checked(_libc.syscall(_PIVOT_ROOT, ctypes.addressof(new), ctypes.addressof(old), 0, 0, 0, 0), "pivot_root")


def prctl(option: int, argument: int = 0, address: int = 0) -> None:
    """prctl(2) with up to two arguments."""
    _checked(_libc.prctl(option, argument, address, 0, 0), f"prctl({option})")


def close_from(first: int) -> None:
    """Closes every descriptor from ``first`` on."""
    _checked(_libc.syscall(_CLOSE_RANGE, first, 0xFFFFFFFF, 0, 0, 0, 0), "close_range")


def fork() -> int:
    """fork(2) without Python's own preparations, which cost a child more than all else that it does.

    For a process without threads that holds no lock, and whose children reseed ``random`` themselves.
    """
    return _checked(_holding.fork(), "fork")


def drop_bounding_set() -> None:
    """Takes every capability out of the bounding and ambient sets: no exec gains any from here on."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(_LAST_CAPABILITY + 1):
        if _libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break  # the kernel knows no more of them


_NO_CAPABILITIES = ((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)())


def drop_capabilities() -> None:
    """Clears the effective, permitted and inheritable sets."""
    header, sets = (ctypes.addressof(part) for part in _NO_CAPABILITIES)
    _checked(_libc.syscall(_CAPSET, header, sets, 0, 0, 0, 0), "capset")


def install_filter(program_address: int, *, listened: bool) -> int:
    """Installs a seccomp filter; needs no-new-privileges. Gives its listener where it is to have one, else -1."""
    flags = _SECCOMP_FILTER_FLAG_NEW_LISTENER if listened else 0
    made = _checked(_libc.syscall(_SECCOMP, _SECCOMP_SET_MODE_FILTER, flags, program_address, 0, 0, 0), "seccomp")
    return made if listened else -1


def write_memory(process: int, address: int, data: bytes) -> None:
    """process_vm_writev(2), of one piece."""
    content = ctypes.create_string_buffer(data, len(data))
    here = (ctypes.c_uint64 * 2)(ctypes.addressof(content), len(data))
    there = (ctypes.c_uint64 * 2)(address, len(data))
    written = _libc.syscall(_PROCESS_VM_WRITEV, process, ctypes.addressof(here), 1, ctypes.addressof(there), 1, 0)
    if _checked(written, "process_vm_writev") < len(data):
        raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
