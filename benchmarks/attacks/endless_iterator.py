"""Answers with iterators and mappings that never end."""
import itertools


class Endless(dict):
    def items(self):
        return zip(itertools.count(), itertools.count())

    def __iter__(self):
        return itertools.count()

    def __len__(self):
        return 2**62


def answer(a, b):
    return Endless() if a % 2 else itertools.count()
