"""Makes processes or threads that wait, to 200. Argument: which. Writes how many it got; they end with it."""

import os
import signal
import sys
import threading
from contextlib import suppress

made: list[int] = []
if sys.argv[1] == "processes":
    with suppress(OSError):
        while len(made) < 200:
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            made.append(pid)
    for pid in made:
        os.kill(pid, signal.SIGKILL)
else:
    with suppress(RuntimeError):
        while len(made) < 200:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
            made.append(0)
print(len(made), flush=True)
os._exit(0)
