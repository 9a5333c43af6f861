"""The faults: what each operator makes of a node of the syntax tree.

An operator gives no place, or one or several, for a node. It sees one node and not what is around it; which nodes are
looked at is the matter of :mod:`benchmarks.mutants.places`. Left out is what a rule knows to be the same as before,
or a fault that a type checker tells (a minus between two texts).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from benchmarks.mutants.spans import Edit, Layout, Span
from benchmarks.shape.sources import Function

_SWAPPED: dict[type[ast.cmpop], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: (r"\bis\b", "is not"),
    ast.IsNot: (r"\bis\s+not\b", "is"),
    ast.In: (r"\bin\b", "not in"),
    ast.NotIn: (r"\bnot\s+in\b", "in"),
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (r"\+", "-"),
    ast.Sub: (r"-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: (r"/", "*"),
}
_SEQUENCE = ast.JoinedStr | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.ListComp


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operator applies. ``whole`` is the expression or statement that must run for it to matter."""

    operator: str
    whole: Span
    edits: tuple[Edit, ...]
    statement: bool = False


def mutations(node: ast.AST, function: Function, layout: Layout) -> Iterator[Place]:
    """Every fault that the operators make of this node, which stands in this function."""
    for operator in OPERATORS:
        yield from operator(node, layout)
    yield from _nothing_returned(node, function, layout)


def _comparison(node: ast.AST, layout: Layout) -> Iterator[Place]:
    """Each comparison of a chain by itself."""
    if isinstance(node, ast.Compare):
        for kind, (left, right) in zip(node.ops, pairwise([node.left, *node.comparators]), strict=True):
            token, other = _SWAPPED[type(kind)]
            if span := layout.between(left, right, token):
                yield Place("comparison", layout.span(node), (Edit(span, other),))


def _boolean(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.BoolOp):
        token, other = (r"\band\b", "or") if isinstance(node.op, ast.And) else (r"\bor\b", "and")
        spans = [layout.between(left, right, token) for left, right in pairwise(node.values)]
        edits = tuple(Edit(span, other) for span in spans if span)
        if len(edits) == len(spans):
            yield Place("and, or", layout.span(node), edits)


def _negation(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        span = layout.span(node)
        yield Place("not removed", span, (Edit(Span(span.start, span.start + len("not ")), ""),))


def _constant(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.Constant):
        span = layout.span(node)
        if isinstance(node.value, bool):
            yield Place("truth", span, (Edit(span, str(not node.value)),))
        elif isinstance(node.value, int | float) and node.value + 1 != node.value:
            yield Place("number plus 1", span, (Edit(span, repr(node.value + 1)),))


def _arithmetic(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC and not _joins(node.left, node.right):
        token, other = _ARITHMETIC[type(node.op)]
        if span := layout.between(node.left, node.right, token):
            yield Place("arithmetic", layout.span(node), (Edit(span, other),))


def _in_place(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub) and not _joins(node.value):
        token, other = (r"\+=", "-=") if isinstance(node.op, ast.Add) else (r"-=", "+=")
        if span := layout.between(node.target, node.value, token):
            yield Place("arithmetic", layout.span(node), (Edit(span, other),), statement=True)


def _extreme(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max"):
        other = "max" if node.func.id == "min" else "min"
        yield Place("min, max", layout.span(node), (Edit(layout.span(node.func), other),))


def _default(node: ast.AST, layout: Layout) -> Iterator[Place]:
    """``.get(key, default)`` without its default."""
    match node:
        case ast.Call(func=ast.Attribute(attr="get"), args=[_, default], keywords=[]) if not _is(default, None):
            yield Place("default of get", layout.span(node), (Edit(layout.span(default), "None"),))


def _removed(node: ast.AST, layout: Layout) -> Iterator[Place]:
    """A call whose result nobody takes, and what an object is told to remember."""
    if _is_call(node) or _is_memory(node):
        assert isinstance(node, ast.stmt)
        span = layout.span(node)
        yield Place("statement removed", span, (Edit(span, "pass"),), statement=True)


def _jump(node: ast.AST, layout: Layout) -> Iterator[Place]:
    if isinstance(node, ast.Continue | ast.Break):
        span = layout.span(node)
        other = "break" if isinstance(node, ast.Continue) else "continue"
        yield Place("continue, break", span, (Edit(span, other),), statement=True)


def _nothing_returned(node: ast.AST, function: Function, layout: Layout) -> Iterator[Place]:
    """Where callers expect None at times, or a truth; a constant that is returned has operators of its own."""
    expected = function.returns is not None and _may_be_nothing(function.returns)
    if expected and isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
        span = layout.span(node.value)
        yield Place("nothing returned", span, (Edit(span, "None"),))


OPERATORS: tuple[Callable[[ast.AST, Layout], Iterator[Place]], ...] = (
    _comparison,
    _boolean,
    _negation,
    _constant,
    _arithmetic,
    _in_place,
    _extreme,
    _default,
    _removed,
    _jump,
)


def _may_be_nothing(annotation: ast.expr) -> bool:
    """``bool``, ``Optional[...]``, or a union with None."""
    match annotation:
        case ast.Name(id="bool") | ast.Subscript(value=ast.Name(id="Optional")):
            return True
        case ast.BinOp(op=ast.BitOr()):
            return _is(annotation.right, None) or _is(annotation.left, None) or _may_be_nothing(annotation.left)
    return False


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_call(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
            return True
    return False


def _is_memory(node: ast.AST) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return all(map(_is_own, targets))
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target, value=ast.expr()):
            return _is_own(target)
    return False


def _is_own(target: ast.expr) -> bool:
    """``self.name``"""
    match target:
        case ast.Attribute(value=ast.Name(id="self")):
            return True
    return False


def _joins(*operands: ast.expr) -> bool:
    """Whether texts or lists are put together, as far as the operands themselves tell."""
    return any(
        isinstance(one, _SEQUENCE) or (isinstance(one, ast.Constant) and isinstance(one.value, str | bytes))
        for one in operands
    )
