"""Raises what ends a loop, a filter or a task of whoever calls, instead of answering."""


class Ends(StopIteration, StopAsyncIteration):
    pass


def answer(a, b):
    if a == 2:
        raise Ends
    raise StopIteration(b)


for _ in map(answer, [1, 2], [3, 4]):
    print("15")
