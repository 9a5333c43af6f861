"""Hangs in a busy loop."""


def answer(a, b):
    while True:
        pass


answer(0, 0)
