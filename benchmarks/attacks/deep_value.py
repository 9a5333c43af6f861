"""Answers with values that are nested without end, or contain themselves."""


def answer(a, b):
    value = []
    if a % 2:
        value.append(value)
        return value
    for _ in range(1_000_000):
        value = [value]
    return value
