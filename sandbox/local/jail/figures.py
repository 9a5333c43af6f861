"""Answers sysinfo(2) in the kernel's place: its load, free memory and number of processes are the host's.

The call cannot just be refused: the C library does not look at its result, and would go on with whatever lies in
memory. So the filter hands it to the slot (seccomp_unotify(2)), which writes the machine's size and clock, no load,
and all memory free, into the program's memory. It writes there, and reads nothing of the program but the address.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import struct
import time

from .syscalls import write_memory

_NOTICE = struct.Struct("=QIIiIQ6Q")
"""``seccomp_notif``: id, process, flags, call, architecture, instruction, arguments."""

_ANSWER = struct.Struct("=QqiI")
"""``seccomp_notif_resp``: id, value, error, flags."""

_RECEIVE, _SEND, _VALID = 0xC0502100, 0xC0182101, 0x40082102
_SYSINFO = struct.Struct("@l3L6LHH4x2LI4x")
"""Uptime, loads, memory (total, free, shared, buffers), swap (total, free), processes, high memory, unit."""


class Figures:
    """What this machine has, read once: ``answer`` tells it to whoever asks by a listener of the filter."""

    def __init__(self) -> None:
        real = ctypes.create_string_buffer(_SYSINFO.size)
        ctypes.CDLL(None).sysinfo(real)
        self._total, self._unit = _SYSINFO.unpack(real.raw)[4], _SYSINFO.unpack(real.raw)[14]

    def answer(self, listener: int) -> None:
        """Answers one call that waits."""
        notice = bytearray(_NOTICE.size)
        try:
            fcntl.ioctl(listener, _RECEIVE, notice)
        except OSError:
            return  # who asked has been ended meanwhile
        identity, process, *_, address = _NOTICE.unpack(notice)[:7]
        try:
            fcntl.ioctl(listener, _VALID, struct.pack("=Q", identity))  # it lives, so the id is still its own
            write_memory(process, address, self._told())
            error = 0
        except OSError:
            error = -errno.EFAULT
        try:
            fcntl.ioctl(listener, _SEND, bytearray(_ANSWER.pack(identity, 0, error, 0)))
        except OSError:
            return  # as above

    def _told(self) -> bytes:
        uptime_s = int(time.clock_gettime(time.CLOCK_BOOTTIME))
        return _SYSINFO.pack(uptime_s, 0, 0, 0, self._total, self._total, 0, 0, 0, 0, 1, 0, 0, 0, self._unit)
