"""Frames whose length lies: none, the greatest, one too few, one too many, and a second one within the first."""
import os
import struct


def send():
    body = b'{"op":"return","value":15,"updates":[],"nodes":[]}'
    for fd in range(1, 12):
        for n in (0, 1, len(body) - 1, len(body) + 1, 2**31, 2**32 - 1, 2**24, 2**24 + 1):
            try:
                os.write(fd, struct.pack(">I", n) + body)
            except OSError:
                pass


def answer(a, b):
    send()
    os._exit(0)


send()
