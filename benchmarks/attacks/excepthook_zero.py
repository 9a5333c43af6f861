"""Ends with code 0 from the hooks of unhandled exceptions."""
import os
import sys
import threading

sys.excepthook = lambda *a: os._exit(0)
sys.unraisablehook = lambda *a: os._exit(0)
threading.excepthook = lambda *a: os._exit(0)


def answer(a, b):
    threading.Thread(target=lambda: 1 / 0).start()
    raise ValueError


raise ValueError
