"""Hangs without using any CPU, with every signal ignored."""
import signal
import time

for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


def answer(a, b):
    time.sleep(3600)


answer(0, 0)
