"""What a scorer may run, found in its bytecode: every function of the library that it can reach by name.

Names are looked up as globals, as members of the data set's class, and as members of every class and module of
the library that is met on the way; so the set is larger than what really runs, never smaller but for calls
through values.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

OURS = ("reasoning_gym", "magiccube")
# how a cube is printed, which no scorer asks for, reads an environment variable
_PRINTING = "magiccube.cube_print"
FORBIDDEN = frozenset(("eval", "exec", "compile", "__import__", "open", "input", "breakpoint", "execfile"))
FORBIDDEN_MODULES = frozenset((
    "sympy", "pickle", "marshal", "shelve", "subprocess", "os", "importlib", "ctypes", "socket", "bfi", "yaml",
))  # fmt: skip


def forbidden(kind: type, method: str) -> set[str]:
    """What of the forbidden a method of a class can reach."""
    found: set[str] = set()
    seen: set[CodeType] = set()
    pending = list(_functions(getattr(kind, method)))
    while pending:
        function = pending.pop()
        for code in _codes(function.__code__):
            if code in seen:
                continue
            seen.add(code)
            for name in code.co_names:
                value = function.__globals__.get(name)
                found |= _problem(name, value)
                pending += _functions(value)
                pending += _functions(getattr(kind, name, None))
    return found


def _problem(name: str, value: object) -> set[str]:
    if value is None and name in FORBIDDEN and hasattr(builtins, name):
        return {name}
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    root = str(module).partition(".")[0]
    return {f"{root}.{name}"} if root in FORBIDDEN_MODULES else set()


def _functions(value: object) -> Iterator[FunctionType]:
    value = getattr(value, "__func__", value)
    if isinstance(value, property) and isinstance(value.fget, FunctionType):
        value = value.fget
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    module = str(getattr(value, "__module__", ""))
    if not module.startswith(OURS) or module == _PRINTING:
        return
    if isinstance(value, FunctionType):
        yield value
    elif isinstance(value, type):
        for member in vars(value).values():
            yield from _functions(member)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
