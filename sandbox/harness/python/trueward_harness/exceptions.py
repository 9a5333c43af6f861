"""Which exceptions are the same on both ends: builtin ones, and those of a few standard modules.

Only modules whose exceptions steer no test runner are here: ``unittest.SkipTest`` of a candidate's must not skip.
"""

from __future__ import annotations

import builtins
import sys

_MODULES = frozenset(
    {
        "asyncio.exceptions",
        "binascii",
        "concurrent.futures._base",
        "configparser",
        "copy",
        "csv",
        "_csv",
        "dataclasses",
        "decimal",
        "json.decoder",
        "queue",
        "_queue",
        "re",
        "sqlite3",
        "statistics",
        "struct",
        "subprocess",
        "urllib.error",
        "uuid",
        "zlib",
        "zoneinfo._common",
    }
)


def standard_name(kind: type) -> str | None:
    """``ValueError``, ``json.decoder.JSONDecodeError``, ...; None for a class of the solution's own."""
    if not issubclass(kind, BaseException):
        return None
    module, name = kind.__module__, kind.__qualname__
    full = name if module == "builtins" else f"{module}.{name}"
    return full if standard(full) is kind else None


def standard(full: str) -> type[BaseException] | None:
    """The exception of that name, where it is one of these and its module is already imported here."""
    module, _, name = full.rpartition(".")
    if module and module not in _MODULES:
        return None
    found = getattr(sys.modules.get(module) if module else builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, BaseException) else None


def make_real(kind: type[BaseException], error: BaseException) -> BaseException:
    """An exception of that class with the arguments and attributes of another."""
    try:
        real = kind(*error.args)
    except TypeError:  # a class that wants other arguments than it keeps
        real = kind.__new__(kind, *error.args)
    vars(real).update(vars(error))
    return real
