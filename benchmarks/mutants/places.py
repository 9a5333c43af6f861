"""The places of the product where a fault can be put: in the bodies of its functions.

Left out are programs that are data, presets and the demonstration; and within functions texts, annotations, patterns,
what goes to the log, what type checkers alone read, and numbers that change no answer (:data:`IMMATERIAL`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.mutants.operators import Place, mutations
from benchmarks.mutants.spans import Layout
from benchmarks.shape.sources import BESIDE, Source

NOT_PRODUCT = ("app/demo/", "app/presets/", "judges/presets/", "sandbox/conformance/probes/")
IMMATERIAL = frozenset({"timeout", "maxsize", "stacklevel", "indent"})
"""Arguments whose number, one larger, gives the same answers: how long is waited, how much is kept, what is shown."""

_LOGS = frozenset({"log", "_log", "logger"})
_SKIPPED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.JoinedStr | ast.pattern
_UNREAD = {ast.AnnAssign: "annotation", ast.Assert: "msg"}


@dataclass(frozen=True, slots=True)
class Spot:
    """A place, its file and the qualified name of the innermost function around it."""

    source: Source
    function: str
    place: Place


def product(sources: Iterable[Source]) -> list[Source]:
    """What is installed and is code."""
    return [one for one in sources if one.package not in BESIDE and not one.path.startswith(NOT_PRODUCT)]


def spots(sources: Iterable[Source]) -> Iterator[Spot]:
    """Every place of these sources, file by file, as they stand in the text of each function."""
    for source in sources:
        layout = Layout(source.text)
        for name, function in source.functions():
            for statement in function.body:
                for node in _inside(statement):
                    for place in mutations(node, function, layout):
                        yield Spot(source, name, place)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all below it that a fault may touch; inner functions come by themselves."""
    if _is_left_out(node):
        return
    yield node
    for field, value in ast.iter_fields(node):
        if field != _UNREAD.get(type(node)):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _inside(child)


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
            return name in _LOGS
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.keyword(arg=str(name), value=ast.Constant()):
            return name in IMMATERIAL
    return isinstance(node, _SKIPPED)
