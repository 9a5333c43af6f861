"""Answers sysinfo(2) in the kernel's place: its load, free memory and number of processes are the host's.

The call cannot just be refused: the C library does not look at its result, and would go on with whatever lies in
memory. So a filter of the program's hands it to this process (seccomp_unotify(2)), which writes the machine's size
and clock, no load, and all memory free, into the program's memory. Where the kernel does not let it, the call is
allowed.
"""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
import time

_CALLS = {"x86_64": (0xC000003E, 99, 317), "aarch64": (0xC00000B7, 179, 277)}
"""By machine: the architecture's number, those of sysinfo and seccomp."""

_NOTICE = struct.Struct("=QIIiIQ6Q")
"""``seccomp_notif``: id, process, flags, call, architecture, instruction, arguments."""

_ANSWER = struct.Struct("=QqiI")
"""``seccomp_notif_resp``: id, value, error, flags."""

_CONTINUE = 1
_RECEIVE, _SEND, _VALID = 0xC0502100, 0xC0182101, 0x40082102
_SYSINFO = struct.Struct("@l3L6LHH4x2LI4x")
"""Uptime, loads, memory (total, free, shared, buffers), swap (total, free), processes, high memory, unit."""

_libc = ctypes.CDLL(None, use_errno=True)


def listen(channel: socket.socket) -> None:
    """In the child, at last: puts the filter on, and sends its listener."""
    if os.uname().machine not in _CALLS:
        return
    architecture, sysinfo, seccomp = _CALLS[os.uname().machine]
    steps = [(0x20, 0, 0, 4), (0x15, 0, 2, architecture), (0x20, 0, 0, 0), (0x15, 1, 0, sysinfo)]
    steps += [(0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x7FC00000)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code)))
    _libc.syscall.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_ulong, ctypes.c_void_p]
    listener = _libc.syscall(seccomp, 1, 8, program)  # SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER
    if listener >= 0:
        channel.sendmsg([b"+"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))])
        os.close(listener)


def receive_report(channel: socket.socket) -> tuple[str, int]:
    """What the child says until it has turned into the program: why it could not, and the listener or -1."""
    failure, listener = b"", -1
    while True:
        data, ancillary, _, _ = channel.recvmsg(4096, socket.CMSG_SPACE(4))
        for _, _, descriptors in ancillary:
            listener = array.array("i", descriptors)[0]
            data = data[1:]
        if not data and not ancillary:
            return failure.decode(errors="replace"), listener
        failure += data


def over(listener: int) -> bool:
    """Whether nobody is left who could ask."""
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    return any(events & select.POLLHUP for _, events in waiting.poll(0))


def answer(listener: int) -> None:
    """Answers one call that waits."""
    notice = bytearray(_NOTICE.size)
    try:
        fcntl.ioctl(listener, _RECEIVE, notice)
    except OSError:
        return  # who asked has been ended meanwhile
    identity, process, *_, address = _NOTICE.unpack(notice)[:7]
    error = flags = 0
    try:
        fcntl.ioctl(listener, _VALID, struct.pack("=Q", identity))  # it lives, so the id is still its own
        _write(process, address, _told())
    except (OSError, OverflowError) as refusal:
        if isinstance(refusal, PermissionError) and _open_to_us(process):
            flags = _CONTINUE  # a host that lets nobody write into another process (kernel.yama.ptrace_scope)
        else:
            error = -errno.EFAULT
    try:
        fcntl.ioctl(listener, _SEND, bytearray(_ANSWER.pack(identity, 0, error, flags)))
    except OSError:
        return  # as above


def _write(process: int, address: int, data: bytes) -> None:
    memory = os.open(f"/proc/{process}/mem", os.O_WRONLY | os.O_CLOEXEC)
    try:
        if os.pwrite(memory, data, address) < len(data):
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
    finally:
        os.close(memory)


def _open_to_us(process: int) -> bool:
    """Whether it is dumpable, as every program is that does not wish otherwise."""
    try:
        return os.stat(f"/proc/{process}/mem").st_uid == os.getuid()
    except OSError:
        return False


def _told() -> bytes:
    real = ctypes.create_string_buffer(_SYSINFO.size)
    _libc.sysinfo(real)
    known = _SYSINFO.unpack(real.raw)
    uptime_s = int(time.clock_gettime(time.CLOCK_BOOTTIME))
    return _SYSINFO.pack(uptime_s, 0, 0, 0, known[4], known[4], 0, 0, 0, 0, 1, 0, 0, 0, known[14])
