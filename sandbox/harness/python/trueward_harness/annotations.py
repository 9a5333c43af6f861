"""Annotations of a solution that name what it never imports, as programs for judges of functions are written.

Such a judge imports ``List`` and ``Optional`` and defines ``TreeNode`` before the program. An annotation says nothing
about what a function does, so a program with such a one is compiled without evaluating any: it could not even be
loaded otherwise.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from types import CodeType

_FLAG = 0x1000000
"""``from __future__ import annotations``; the module ``__future__`` need not be loaded for it."""


def compile_solution(source: bytes, file: str) -> CodeType:
    """The code of a module. Raises what :func:`compile` raises."""
    code: CodeType = compile(source, file, "exec", 0 if _are_known(source) else _FLAG, dont_inherit=True)
    return code


def _are_known(source: bytes) -> bool:
    """Whether each name in an annotation is bound somewhere, or a builtin."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # deep ones may still compile
        return True
    named: set[str] = set()
    bound: set[str] = set(dir(builtins))
    for node in ast.walk(tree):
        for annotation in _annotations(node):
            named.update(part.id for part in ast.walk(annotation) if isinstance(part, ast.Name))
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=given):
                bound.add(given or name.partition(".")[0])
    return "*" in bound or named <= bound


def _annotations(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.FunctionDef(returns=found) | ast.AsyncFunctionDef(returns=found) | ast.arg(annotation=found):
            if found is not None:
                yield found
        case ast.AnnAssign(annotation=found):
            yield found
