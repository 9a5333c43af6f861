"""Public names that became others: the former ones still work in 0.2, with a warning, and go in 0.3."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def former_names(module: str, names: Mapping[str, str]) -> Callable[[str], object]:
    """A ``__getattr__`` for ``module``; ``names`` maps each former name to the present one, in the same module."""

    def look_up(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        _warn(f"{module}.{name}", names[name], stacklevel=3)
        return getattr(sys.modules[module], names[name])

    return look_up


def accept_former_method(kind: type, former: str, name: str) -> None:
    """A class that defines the method under its former name alone has it under the present one, too."""
    if former in vars(kind) and name not in vars(kind):
        _warn(f"{kind.__qualname__}.{former}", name, stacklevel=4)
        setattr(kind, name, vars(kind)[former])


def _warn(former: str, name: str, stacklevel: int) -> None:
    text = f"{former} is {name} now; the former name goes with trueward 0.3"
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel)
