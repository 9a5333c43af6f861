"""Lets the fault handler dump and end the process later, and crashes it by reading address 0."""
import ctypes
import faulthandler

faulthandler.dump_traceback_later(0.2, exit=True)
faulthandler.enable()


def answer(a, b):
    ctypes.string_at(0)


ctypes.string_at(0)
