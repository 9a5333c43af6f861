"""Claims what all programs can open, and stays: locks, leases, watches, times, addresses.

Arguments: ``files`` or ``devices``, seconds to stay. Says what of others' doing it was told meanwhile.
"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import sys
import time
from contextlib import suppress

kind, stay_s = sys.argv[1], float(sys.argv[2])
PLACES = {
    "files": "/ /usr /usr/bin /usr/bin/env /etc /etc/passwd /dev /opt/trueward /opt/trueward/python "
    f"/opt/trueward/python/trueward_harness/calls.py {sys.executable} {os.__file__}",
    "devices": "/dev/null /dev/zero /dev/full /dev/random /dev/urandom",
}
EVENT = struct.Struct("iIII")
LOCK = struct.Struct("hhqqi4x")
F_OFD_SETLK, SO_PASSCRED, IN_ALL, DN_ALL = 37, 16, 0xFFF, 0x8000003F
libc = ctypes.CDLL(None)
signal.signal(signal.SIGIO, lambda *_: told.add("a folder's notification"))
told: set[str] = set()


def times(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_atime_ns, found.st_ctime_ns


watches = libc.inotify_init1(os.O_NONBLOCK)
watched: dict[int, str] = {}
kept = []
before: dict[str, tuple[int, int, int]] = {}
for path in PLACES[kind].split():
    if watches >= 0:
        watched[libc.inotify_add_watch(watches, path.encode(), IN_ALL)] = path
    with suppress(OSError):
        before[path] = times(path)
    with suppress(OSError):
        opened = os.open(path, os.O_RDONLY)
        kept.append(opened)
        with suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with suppress(OSError):
            fcntl.fcntl(opened, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        with suppress(OSError):
            fcntl.fcntl(opened, fcntl.F_NOTIFY, DN_ALL)
        with suppress(OSError):
            fcntl.fcntl(opened, fcntl.F_SETLK, LOCK.pack(fcntl.F_RDLCK, 0, 0, 0, 0))
    with suppress(OSError):
        opened = os.open(path, os.O_RDWR)
        kept.append(opened)
        fcntl.fcntl(opened, F_OFD_SETLK, LOCK.pack(fcntl.F_WRLCK, 0, 0, 0, 0))
pairs = []
with suppress(OSError):
    for _ in range(60):
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        pairs.append(pair)
        pair[0].setsockopt(socket.SOL_SOCKET, SO_PASSCRED, 1)  # with this the kernel gives it a name of its own choice
        pair[0].send(b"x")

if watches >= 0:
    with suppress(OSError):
        os.read(watches, 2**16)  # what this program itself has done
told.clear()
time.sleep(stay_s)
if watches >= 0:
    with suppress(OSError):
        events = os.read(watches, 2**16)
        while events:
            number, mask, _, length = EVENT.unpack_from(events)
            name = events[EVENT.size : EVENT.size + length].rstrip(b"\0").decode()
            told.add(f"a watch of {watched.get(number)} ({mask:#x} {name})")
            events = events[EVENT.size + length :]
for path, then in before.items():
    if times(path) != then:
        told.add(f"the times of {path}")
for what in sorted(told):
    print(f"{what} told of another run")
print("end")
