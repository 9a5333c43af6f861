"""Where the child processes find the verifiers: in this environment, or in one of their own.

The server's packages have names that other people's packages have too (``verifiers`` is also prime's), so they are best
installed in an environment of their own; ``TRUEWARD_PYTHON`` names its interpreter.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

VARIABLE = "TRUEWARD_PYTHON"

_NEEDED = ("verifiers", "sandbox")


@dataclass(frozen=True, slots=True)
class Place:
    """An interpreter, and folders that it searches before its own."""

    python: str
    folders: tuple[str, ...] = ()


def find(name: str) -> Place:
    """Raises ImportError with what to do; ``name`` is the module that wants it."""
    named = os.environ.get(VARIABLE)
    if named:
        python = shutil.which(named)
        if python is None:
            raise ImportError(f"{name}: {VARIABLE} is {named!r}, and no program is there")
        return Place(python)
    found = _checkout()
    if found is None:
        raise ImportError(
            f"{name} judges with the verifiers of Trueward's server, and this environment has only its client. Install "
            "the server into an environment of its own (in a checkout of Trueward: `make install`) and name its "
            f"interpreter: {VARIABLE}=/path/to/trueward/.venv/bin/python. The trainer's environment needs `trueward` "
            "alone."
        )
    return Place(sys.executable, (found, str(Path(__file__).parents[2])))


def _checkout() -> str | None:
    """The folder in which all that is needed lies; another package of the same name has no ``child``."""
    places = {_parent(name) for name in _NEEDED}
    place = places.pop() if len(places) == 1 else None
    return str(place) if place is not None and (place / "verifiers" / "child.py").is_file() else None


def _parent(name: str) -> Path | None:
    spec = find_spec(name)
    where = list(spec.submodule_search_locations or []) if spec else []
    return Path(where[0]).resolve().parent if where else None
