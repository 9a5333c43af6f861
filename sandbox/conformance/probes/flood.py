"""Writes without end, to 64 MiB, and then waits: only a cap that kills ends it soon. Argument: stdout or stderr."""

import os
import sys
import time

descriptor = {"stdout": 1, "stderr": 2}[sys.argv[1]]
for _ in range(64):
    os.write(descriptor, b"0123456789abcdef" * 2**16)
time.sleep(60)
