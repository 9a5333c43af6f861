"""A module that mutants are drawn from, and the tests of it."""

from __future__ import annotations

PATH = "app/made.py"
TESTS = ("tests/app/test_quick.py", "tests/app/test_slow.py")
CODE = """
def both(a: int, b: int) -> bool:
    if a < b:
        return a == 1
    elif a > b and b:
        return True
    return not a
"""
