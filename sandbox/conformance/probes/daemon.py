"""Leaves a process that outlives it: another session, no signal heeded, the standard streams kept open.

Arguments: the name of the process. It ends by itself after a minute where nobody ends it.
"""

import ctypes
import os
import signal
import sys
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)  # PR_SET_NAME
        for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
            signal.signal(number, signal.SIG_IGN)
        os.write(1, b"daemon\n")
        time.sleep(60)
    os._exit(0)
os.wait()
time.sleep(0.1)
print("end", flush=True)
os._exit(0)
