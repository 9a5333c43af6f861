"""Hangs and heeds no signal that can be ignored. Arguments: sleep, spin, stdin or children, the name of its process."""

import ctypes
import os
import signal
import sys
import time

how, name = sys.argv[1:]
ctypes.CDLL(None).prctl(15, name.encode(), 0, 0, 0)  # PR_SET_NAME
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
print("started", flush=True)
end_s = time.monotonic() + 60
if how == "stdin":
    sys.stdin.read()
if how == "children":
    for _ in range(4):
        os.fork()
while time.monotonic() < end_s:
    if how == "sleep":
        time.sleep(1)
