"""A thread ends the process with success while the main thread works."""
import os
import threading
import time


def killer():
    time.sleep(0.05)
    os._exit(0)


threading.Thread(target=killer, daemon=True).start()


def answer(a, b):
    time.sleep(0.5)
    return 0


time.sleep(0.3)
