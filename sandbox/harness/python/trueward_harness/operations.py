"""The special methods that are forwarded, by name: the fixed list of both ends.

``UNARY`` take the object and plain arguments, and give nothing away. ``BINARY`` are forwarded only where both
operands are the candidate's: with plain data as the other operand they would hand over what the test expects.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

Operation = Callable[..., Any]

UNARY: dict[str, Operation] = {
    "len": len,
    "iter": iter,
    "next": next,
    "str": str,
    "repr": repr,
    "format": format,
    "int": int,
    "float": float,
    "complex": complex,
    "index": operator.index,
    "hash": hash,
    "neg": operator.neg,
    "pos": operator.pos,
    "abs": abs,
    "invert": operator.invert,
    "reversed": reversed,
    "bool": bool,
    "round": round,
    "trunc": math.trunc,
    "floor": math.floor,
    "ceil": math.ceil,
    "bytes": bytes,
    "getitem": operator.getitem,
    "setitem": operator.setitem,
    "delitem": operator.delitem,
    "enter": lambda item: type(item).__enter__(item),
    "aiter": aiter,
    "exit": lambda item, error: type(item).__exit__(item, error and type(error), error, None),
}
BINARY: dict[str, Operation] = {
    name: getattr(operator, f"__{name}__")
    for name in (
        *("eq", "ne", "lt", "le", "gt", "ge"),
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
        *("and", "or", "xor", "lshift", "rshift"),
        *("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul"),
        *("iand", "ior", "ixor", "ilshift", "irshift"),
    )
}
REFLECTED = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift")
AWAITED: dict[str, Operation] = {
    "await": lambda item: item,
    "anext": anext,
    "aenter": lambda item: type(item).__aenter__(item),
    "aexit": lambda item, error: type(item).__aexit__(item, error and type(error), error, None),
}
SPECIAL = (*UNARY, *BINARY, *(f"r{name}" for name in REFLECTED), *AWAITED, "call", "contains")
"""Every special method that a class is asked for, without its underscores."""
