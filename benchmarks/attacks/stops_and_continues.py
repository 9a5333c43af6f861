"""Stops itself again and again while a child wakes it: a stop from outside is not charged."""

import os
import signal
import time


def hang():
    own = os.getpid()
    if os.fork() == 0:
        while True:
            try:
                os.kill(own, signal.SIGCONT)
            except OSError:
                os._exit(0)
            time.sleep(0.005)
    while True:
        os.kill(own, signal.SIGSTOP)


def answer(a, b):
    hang()


if __name__ == "__main__":
    hang()
