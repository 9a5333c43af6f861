"""Where the child processes find the verifiers: in this environment, or in another one.

``TRUEWARD_PYTHON`` names the interpreter of the other one.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "TRUEWARD_PYTHON"


@dataclass(frozen=True, slots=True)
class PythonPlace:
    """An interpreter, and folders that it searches before its own."""

    python: str
    folders: tuple[str, ...] = ()


def find(name: str) -> PythonPlace:
    """Raises ImportError with what to do; ``name`` is the module that wants it."""
    named = os.environ.get(VARIABLE)
    if named:
        python = shutil.which(named)
        if python is None:
            raise ImportError(f"{name}: {VARIABLE} is {named!r}, and no program is there")
        return PythonPlace(python)
    found = _server()
    if found is None:
        raise ImportError(
            f"{name} judges with the verifiers of Trueward's server, and this environment has only its client. Install "
            "the server into an environment of its own (in a checkout of Trueward: `make install`) and name its "
            f"interpreter: {VARIABLE}=/path/to/trueward/.venv/bin/python. The trainer's environment needs `trueward` "
            "alone."
        )
    return PythonPlace(sys.executable, (found, str(Path(__file__).parents[2])))


def _server() -> str | None:
    """The folder with the server's packages, which only the child processes search."""
    if find_spec("trueward_server") is None:
        return None
    return str(import_module("trueward_server").PLACE)
