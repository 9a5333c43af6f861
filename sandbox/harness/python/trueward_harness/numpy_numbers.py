"""Numbers of numpy, where the solution uses it: they are the numbers that they are equal to."""

from __future__ import annotations

import sys
from typing import Any

from .encoder import SCALARS


def number_kind(kind: type) -> str:
    """``int`` or ``float`` for a class of numpy's numbers that derives from neither."""
    numpy = sys.modules.get("numpy")
    if numpy is None or issubclass(kind, tuple(SCALARS)):
        return ""
    if issubclass(kind, (numpy.integer, numpy.bool_)):
        return "int"
    return "float" if issubclass(kind, numpy.floating) else ""


def number(item: Any) -> int | float | None:
    """The plain value of such a number; None for everything else."""
    kind = number_kind(type(item))
    return None if not kind else int(item) if kind == "int" else float(item)
