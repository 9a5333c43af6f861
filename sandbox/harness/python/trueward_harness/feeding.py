"""Whether a test feeds the solution by what the solution's own process does not see: a builtin that it has replaced.

By what is in the tests' process alone, so that no solution has a say in it. A replaced ``print`` is none: a test may
just mean to be quiet.
"""

from __future__ import annotations

import builtins
import io
import sys

_FEEDING = {"input": builtins.input, "open": builtins.open}


def find_replaced() -> str:
    """What the running test has replaced; empty for nothing."""
    for name, own in _FEEDING.items():
        if getattr(builtins, name, None) is not own:
            return name
    return "sys.stdin" if isinstance(sys.stdin, io.StringIO) else ""
