"""Waits for input that never comes, and swallows what was meant for others."""
import os
import sys


def answer(a, b):
    while True:
        for descriptor in (0, 3, 4, 5, 6):
            try:
                os.read(descriptor, 1 << 20)
            except OSError:
                pass


sys.stdin.read()
