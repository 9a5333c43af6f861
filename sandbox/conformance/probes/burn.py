"""Burns CPU seconds in children, one after the other, and stays below any limit of one process.

Arguments: seconds in each child, number of children.
"""

import os
import sys
import time

for _ in range(int(sys.argv[2])):
    if os.fork() == 0:
        while time.process_time() < float(sys.argv[1]):
            pass
        os._exit(0)
    os.wait()
print("end")
