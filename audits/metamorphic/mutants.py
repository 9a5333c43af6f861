"""Mutants of a Python program that its tests should kill: one random place each, in the tradition of DeMillo, Lipton
and Sayward (1978). Some mutants do what the program did, which nothing can tell for sure: a survivor is a question.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random

from audits.metamorphic.program import CODE, on_tree
from audits.metamorphic.transformation import Rewrite, breaking

Site = Callable[[], object]
"""Makes one mutant of the tree."""

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
}


def _mutant(name: str, doc: str, sites: Callable[[ast.Module], Iterator[Site]]) -> Rewrite:
    def change(tree: ast.Module, text: str, dice: Random) -> bool:
        found: Sequence[Site] = list(sites(tree))
        if found:
            dice.choice(found)()
        return bool(found)

    return on_tree(name, doc, change)


def _comparisons(tree: ast.Module) -> Iterator[Site]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and not _is_main(node):
            for place, compared in enumerate(node.ops):
                yield partial(operator.setitem, node.ops, place, _COMPARED[type(compared)]())


def _arithmetic(tree: ast.Module) -> Iterator[Site]:
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and type(node.op) in _COMPUTED:
            yield partial(setattr, node, "op", _COMPUTED[type(node.op)]())


def _constants(tree: ast.Module) -> Iterator[Site]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield partial(setattr, node, "value", node.value + 1)


def _returns(tree: ast.Module) -> Iterator[Site]:
    for node, _ in _returned(tree):
        yield partial(setattr, node, "value", ast.Constant(None))


def _negated_returns(tree: ast.Module) -> Iterator[Site]:
    for node, value in _returned(tree):
        yield partial(setattr, node, "value", ast.UnaryOp(ast.Not(), value))


def _ranges(tree: ast.Module) -> Iterator[Site]:
    for node in ast.walk(tree):
        match node:
            case (
                ast.Call(func=ast.Name(id="range"), args=[end]) | ast.Call(func=ast.Name(id="range"), args=[_, end, *_])
            ) if not isinstance(end, ast.Starred):
                shorter = ast.BinOp(end, ast.Sub(), ast.Constant(1))
                yield partial(operator.setitem, node.args, min(len(node.args), 2) - 1, shorter)


def _conditions(tree: ast.Module) -> Iterator[Site]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp) and not _is_main(node.test):
            yield partial(setattr, node, "test", ast.UnaryOp(ast.Not(), node.test))


def _connectives(tree: ast.Module) -> Iterator[Site]:
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp):
            yield partial(setattr, node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And())


def _returned(tree: ast.Module) -> Iterator[tuple[ast.Return, ast.expr]]:
    """Returns of a value that is not None as it stands."""
    for node in ast.walk(tree):
        match node:
            case ast.Return(value=ast.Constant(value=None)) | ast.Return(value=None):
                continue
            case ast.Return(value=ast.expr() as value):
                yield node, value


def _is_main(node: ast.expr) -> bool:
    """``__name__ == "__main__"``: whether a test runs that is not the program's logic."""
    return isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "__name__"


MUTANTS = breaking(
    CODE,
    _mutant("mutant_comparison", "Another comparison: < as <=, == as !=.", _comparisons),
    _mutant("mutant_arithmetic", "Another operator: + as -, * as +.", _arithmetic),
    _mutant("mutant_constant", "A whole number one higher.", _constants),
    _mutant("mutant_return_removed", "A return of None.", _returns),
    _mutant("mutant_return_negated", "A return of not its value.", _negated_returns),
    _mutant("mutant_range", "A range that ends one earlier.", _ranges),
    _mutant("mutant_condition", "A condition negated.", _conditions),
    _mutant("mutant_connective", "and as or, or as and.", _connectives),
    whole=True,
)
