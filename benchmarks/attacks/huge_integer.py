"""Answers with a number of millions of digits, and a string of its size."""


def answer(a, b):
    return 1 << 200_000_000 if a % 2 else "9" * 200_000_000


print(1 << 40_000_000 > 0)
