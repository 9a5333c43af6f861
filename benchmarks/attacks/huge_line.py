"""One line of a million digits, with all kinds of ends."""
import sys


def answer(a, b):
    return "9" * 900_000


sys.stdout.write("9" * 900_000 + "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\n")
