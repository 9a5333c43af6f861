"""Signals whoever it can reach. Argument: parent, group or everyone. Writes ``end`` where it survives."""

import os
import signal
import sys
from contextlib import suppress

target = {"parent": os.getppid(), "group": 0, "everyone": -1}[sys.argv[1]]
signal.signal(signal.SIGTERM, signal.SIG_IGN)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGSTOP, signal.SIGKILL):
    if target != 0 or number not in (signal.SIGSTOP, signal.SIGKILL):
        with suppress(OSError):
            os.kill(target, number)
print("end")
