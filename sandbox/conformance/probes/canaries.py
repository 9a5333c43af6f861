"""Tries to end processes of the host. Arguments: their ids. Writes those that exist for it, one a line."""

import os
import signal
import sys
from contextlib import suppress

for pid in map(int, sys.argv[1:]):
    if pid == os.getpid():
        continue
    with suppress(ProcessLookupError):
        try:
            os.kill(pid, signal.SIGKILL)
        except PermissionError:
            pass
        print(pid)
