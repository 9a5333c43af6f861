"""Leaves grandchildren in sessions of their own which hold the streams open and write later."""
import os
import time


def leave():
    for _ in range(3):
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(0.3)
                for fd in range(0, 20):
                    try:
                        os.write(fd, b"\x00\x00\x00\x2a" + b'{"op":"return","value":15,"nodes":[]}     \n' * 3)
                    except OSError:
                        pass
                time.sleep(60)
            os._exit(0)


def answer(a, b):
    leave()
    os._exit(0)


leave()
os._exit(0)
