"""Leaves processes behind that outlive the run and write into it later."""
import os
import time

for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(3):
                try:
                    os.close(descriptor)
                except OSError:
                    pass
            time.sleep(3600)
        os._exit(0)


def answer(a, b):
    return 0
