"""Starts threads without end."""
import threading
import time


def answer(a, b):
    while True:
        try:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        except RuntimeError:
            time.sleep(0.01)


answer(0, 0)
