"""Who am I here? No privileges, no terminal, no descriptor but the standard three."""

import ctypes
import os
import resource
from contextlib import suppress

PR_GET_NO_NEW_PRIVS, PR_CAPBSET_READ, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET = 39, 23, 47, 1
libc = ctypes.CDLL(None, use_errno=True)

if libc.prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1:
    print("no_new_privs is not set")

header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
if libc.capget(header, data) == 0 and any(data):
    print(f"capability sets are not empty: {list(data)}")
if any(libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1 for capability in range(41)):
    print("ambient capabilities are set")

with suppress(OSError), open("/proc/self/uid_map") as lines:
    for line in lines:
        inside, outside, count = (int(part) for part in line.split())
        if inside <= os.getuid() < inside + count and outside + os.getuid() - inside == 0:
            print("the program is root outside")

for descriptor in range(3, 1024):
    with suppress(OSError):
        os.fstat(descriptor)
        print(f"descriptor {descriptor} is open at the start")
for descriptor in range(3):
    if os.isatty(descriptor):
        print(f"descriptor {descriptor} is a terminal")
with suppress(OSError):
    os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    print("there is a controlling terminal")

if os.getsid(0) == 0 or os.getpgid(0) == 0:
    print("the program shares a session or group with processes outside")
if resource.getrlimit(resource.RLIMIT_CORE)[1] != 0:
    print("it may dump core")
print("end")
