"""The module ``solution`` of the tests' process, and names of the solution's that tests use without importing."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from importlib import import_module
from types import ModuleType
from typing import Any

from .session import Session

STANDARD = frozenset(
    {
        *("bisect", "cmath", "collections", "copy", "datetime", "decimal", "fractions", "functools", "heapq"),
        *("itertools", "json", "math", "operator", "random", "re", "statistics", "string", "time", "typing"),
    }
)
"""Modules that tests may use without importing them, as if the solution had: never the solution's word for them."""

_OTHERS = (sys.stdlib_module_names | {"pytest"}) - STANDARD - {"antigravity", "this"}
"""Modules that are the tests' own where they have what is asked of them: other things may be called ``queue`` too."""


def is_module(name: str, attributes: Iterable[str]) -> bool:
    """Whether a name that a test program takes those attributes of, and binds nowhere, is the module of that name."""
    if name not in _OTHERS:
        return name in STANDARD
    try:
        module = import_module(name)
    except ImportError:
        return False
    return all(hasattr(module, attribute) for attribute in attributes)


_BUILTINS = frozenset(vars(builtins))
_RUNNERS = re.compile(r"_|test|Test|pytest|setup_|teardown_|setUp|tearDown|load_tests$")
"""Names to which a test runner would lend an ear if ``from solution import *`` brought them."""


class SolutionModule(ModuleType):
    """Stands for the candidate's module: every name is asked for when it is used.

    ``from solution import *`` brings none of the names in ``bound``, which the tests bind themselves, nor of a
    builtin or a module of the standard library; where ``bound`` is None it brings none at all, as every name that
    the tests do not bind is the solution's anyway (:class:`Names`).
    """

    def __init__(self, session: Session, bound: AbstractSet[str] | None = None) -> None:
        super().__init__("solution")
        vars(self)["_session"] = session
        vars(self)["_bound"] = bound
        vars(self)["__file__"] = "solution.py"

    def __getattr__(self, name: str) -> Any:
        session: Session = vars(self)["_session"]
        if name == "__all__":
            bound = vars(self)["_bound"]
            hidden = _BUILTINS | sys.stdlib_module_names | (bound or frozenset())
            names = session.names() if bound is not None else []
            return [name for name in names if name not in hidden and not _RUNNERS.match(name)]
        if name.startswith("__"):
            raise AttributeError(f"module 'solution' has no attribute {name!r}")
        return session.get(None, name)

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("__"):
            vars(self)[name] = value
        else:
            vars(self)["_session"].set(None, name, value)

    def __delattr__(self, name: str) -> None:
        vars(self)["_session"].delete(None, name)

    def __dir__(self) -> list[str]:
        return list(vars(self)["_session"].names())


def without(names: AbstractSet[str]) -> dict[str, Any]:
    """The builtins but those of these names; the very dict where there are none, as tests may change it."""
    if not names:
        return vars(builtins)
    return {name: item for name, item in vars(builtins).items() if name not in names}


class Names(dict[str, Any]):
    """Globals of a test program: what it does not define itself is the solution's.

    A builtin stays the builtin unless it is among ``shadowing``, else a candidate's own ``abs`` or ``all`` would
    judge; one that is among them is the solution's or none: the builtin does not stand in for it. Those modules of
    the standard library that the program takes attributes of (``modules``) stay what they are, too.
    """

    def __init__(
        self, session: Session, entry: str | None, shadowing: AbstractSet[str], modules: AbstractSet[str]
    ) -> None:
        super().__init__(__name__="__main__", __builtins__=without(shadowing))
        self._session = session
        self._entry = entry
        self._shadowing = shadowing
        self._modules = modules

    def __missing__(self, name: str) -> Any:
        if name.startswith("__") or (name in _BUILTINS and name not in self._shadowing):
            raise KeyError(name)
        if name in self._modules:
            self[name] = import_module(name)
        elif name == "solution":
            self[name] = sys.modules["solution"]
        else:
            wanted = self._entry if name == "candidate" and self._entry else name
            try:
                self[name] = self._session.get(None, wanted)
            except AttributeError:
                raise KeyError(name) from None
        return self[name]
