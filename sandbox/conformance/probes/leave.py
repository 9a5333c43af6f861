"""Leaves its name wherever something might outlive a run, and stays for a while where asked.

Arguments: a name, seconds to stay, the way to listen meanwhile. Writes ``ready`` when all is left.
"""

import ctypes
import os
import socket
import sys
import time
from contextlib import suppress

name, stay_s = sys.argv[1], float(sys.argv[2])
libc = ctypes.CDLL(None)
libc.prctl(15, name.encode(), 0, 0, 0)  # PR_SET_NAME

for place in (os.getcwd(), "/tmp", "/var/tmp", "/dev/shm", "/run", "/opt/trueward", "/"):
    with suppress(OSError), open(os.path.join(place, name), "w") as file:
        file.write(name)
for path in (sys.argv[0], "given.txt", "folder/given.txt"):
    with suppress(OSError), open(path, "a") as file:
        file.write(f"\n# {name}")

key = int(name[2:9], 16)
IPC_CREAT = 0o1000
libc.shmget(key, 4096, IPC_CREAT | 0o666)
libc.msgget(key, IPC_CREAT | 0o666)
libc.semget(key, 1, IPC_CREAT | 0o666)
if os.fork() == 0:  # for this call it may be killed
    for ring in (-3, -4):  # the session's and the user's
        libc.syscall(248 if os.uname().machine == "x86_64" else 217, b"user", name.encode(), b"x", 1, ring)
    os._exit(0)
os.wait()

listener = None
with suppress(OSError):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(f"\0{name}")
    listener.listen()
# its working directory is its own to spoil: whatever it does to it, the next run finds another, or the same in order
with suppress(OSError):
    os.setxattr(".", f"user.{name}", b"x")
os.utime(".", (1, 1))
os.chmod(".", 0)
print("ready", flush=True)
time.sleep(stay_s)
