"""Answers with the special values that comparisons treat in their own way."""


def answer(a, b):
    return [NotImplemented, Ellipsis, float("nan"), ...][a % 4]
