"""Each child makes children until none can be made, and never waits; 400 forks in one line of descent at most.

Arguments: the name of its processes. They end by themselves after ten seconds where nobody ends them.
"""

import ctypes
import os
import sys
import time
from contextlib import suppress

ctypes.CDLL(None).prctl(15, sys.argv[1].encode(), 0, 0, 0)  # PR_SET_NAME
first, end_s = os.getpid(), time.monotonic() + 10
for _ in range(8):
    with suppress(OSError):
        os.fork()
while os.getpid() != first and time.monotonic() < end_s:
    with suppress(OSError):
        if os.fork() == 0:
            os._exit(0)
    time.sleep(0.05)
