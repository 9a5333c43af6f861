"""Loads the solution as the module ``solution``."""

from __future__ import annotations

# ruff: noqa: PTH109, PTH123
# pathlib would cost every start a few milliseconds
import os
import sys
from types import ModuleType

from .annotations import compile_solution

FILE = "solution.py"
LAID_OUT = "candidate.py"
"""Where the solution lies: a sandbox gives its own name to the source that starts the harness."""
FOLDER = "/opt/trueward/python"


def load_solution() -> ModuleType:
    """Runs the solution as a module of the name ``solution``. Raises whatever it raises.

    A script that ends itself well (``sys.exit()`` as its last line) has been loaded as far as it goes.
    """
    if FOLDER in sys.path:
        sys.path.remove(FOLDER)
    folder = os.getcwd()
    sys.path.insert(0, folder)
    with open(LAID_OUT, "rb") as file:
        source = file.read()
    module = ModuleType("solution")
    module.__file__ = f"{folder}/{FILE}"
    sys.modules["solution"] = module
    try:
        exec(compile_solution(source, FILE), module.__dict__)  # noqa: S102 - what a sandbox is for
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            raise
    return module


def deepen() -> None:
    """Raises the recursion limit by the frames in use, so that a program has as many left as when run alone."""
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(sys.getrecursionlimit() + depth + 10)
