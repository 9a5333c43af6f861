"""Ends the process with code 0 from a finalizer, a weak reference and an exit handler, while it fails."""
import atexit
import os
import weakref


class T:
    def __del__(self):
        os._exit(0)


t = T()
weakref.finalize(t, os._exit, 0)
atexit.register(os._exit, 0)


def answer(a, b):
    global t
    t = None
    raise ValueError("never seen")


raise RuntimeError("fails, but ends with 0")
