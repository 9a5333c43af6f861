"""What tests may not ask of a sealed solution: how it is written.

For tests that are not trusted to test (:mod:`verifiers.unit_tests`): one that compares the program's code with what it
knows would tell programs apart without running them. Refused are code objects, frames and the like, attributes of the
interpreter's own, and calls of what reads files, evaluates texts, or gets at attributes by a name in a text. All else
of a solution may be asked for, replaced and called.

Not covered: a function of the solution's own that does so.
"""

from __future__ import annotations

import re
import types
from typing import Any

from .operations import SPECIAL

_INNER = re.compile(r"(?:co|f|gi|cr|ag|tb)_")
"""Attributes of code objects, frames, generators, coroutines and tracebacks."""

_TOLD = frozenset({f"__{name}__" for name in SPECIAL}) | {
    *("__name__", "__qualname__", "__module__", "__doc__", "__class__", "__dict__", "__annotations__", "__wrapped__"),
    *("__mro__", "__bases__", "__base__", "__slots__", "__match_args__", "__dataclass_fields__", "__members__"),
    *("__init__", "__new__", "__post_init__", "__copy__", "__deepcopy__", "__getstate__", "__all__", "__version__"),
    *("__cause__", "__context__", "__suppress_context__", "__notes__", "__defaults__", "__kwdefaults__"),
    *("__abstractmethods__", "__isabstractmethod__", "__type_params__", "__orig_class__"),
}
"""Names with underscores on both sides that tell nothing of how a program is written."""

_INTERPRETER = (types.CodeType, types.FrameType, types.TracebackType, types.CellType)
_READING = frozenset(
    {
        *("_ctypes", "_frozen_importlib", "_frozen_importlib_external", "_imp", "_io", "_pickle", "code", "codecs"),
        *("codeop", "ctypes", "dis", "fileinput", "gc", "importlib", "inspect", "io", "linecache", "marshal", "mmap"),
        *("multiprocessing", "os", "pathlib", "pickle", "pkgutil", "posix", "runpy", "shutil", "subprocess", "sys"),
        *("tempfile", "tokenize", "traceback", "zipimport"),
    }
)
"""Modules whose functions read files, other objects of the process, or texts as programs."""

_IN_MEMORY = frozenset({"StringIO", "BytesIO"})
_NAMED = {
    "builtins": {
        *("__build_class__", "__import__", "breakpoint", "compile", "delattr", "dir", "eval", "exec", "getattr"),
        *("globals", "help", "input", "locals", "open", "setattr", "vars"),
    },
    "dataclasses": {"make_dataclass"},
    "functools": {"update_wrapper", "wraps"},
    "operator": {"attrgetter", "methodcaller"},
    "string": {"Formatter"},
    "typing": {"get_type_hints"},
}
_FILES = re.compile(r"read_|load|open|memmap|genfrom|from(?:file|regex)")
"""Names of functions of numpy and pandas that read files."""


def refuse_attribute(target: object, name: str) -> None:
    """Raises AttributeError where a sealed solution does not tell that attribute of one of its objects."""
    special = name.startswith("__") and name.endswith("__")
    module = isinstance(target, types.ModuleType)
    if (
        isinstance(target, _INTERPRETER)
        or (name not in _TOLD if special else _INNER.match(name))
        or (module and (name == "__dict__" or vars(target).get("__name__") == "linecache"))
    ):
        raise AttributeError(f"a suite is not told {name[:100]!r}")


def refuse_function(item: Any) -> None:
    """Raises AttributeError for a function or class by which a suite would read what it is not told."""
    if isinstance(item, types.MethodType):
        item = item.__func__
    name = getattr(item, "__name__", "")
    owner = getattr(item, "__objclass__", None) or _owner(item)
    if owner is not None and name in ("format", "format_map") and issubclass(owner, str):
        raise AttributeError("a suite formats its texts itself")
    kind = owner or item
    module = getattr(kind, "__module__", None)
    root = module.partition(".")[0] if isinstance(module, str) else ""
    reads = root in _READING and getattr(kind, "__name__", "") not in _IN_MEMORY
    files = root in ("numpy", "pandas") and _FILES.match(str(name)) is not None
    if reads or files or name in _NAMED.get(root, ()):
        raise AttributeError(f"a suite has no use of {str(name)[:100]!r}")


def _owner(item: object) -> type | None:
    """The class of the object whose method a builtin function is; None for all else."""
    if not isinstance(item, types.BuiltinFunctionType) or isinstance(item.__self__, types.ModuleType):
        return None
    return item.__self__ if isinstance(item.__self__, type) else type(item.__self__)
