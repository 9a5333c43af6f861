"""How much of the code says its types: functions with every annotation, and ``Any`` where others call.

``Any`` is looked for in the annotations themselves, also in those that are written as text; one that hides behind the
name of a type alias is not seen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from benchmarks.shape.sources import Function, Source


@dataclass(frozen=True, slots=True)
class Typed:
    """Functions, and how many of them have all their annotations."""

    functions: int
    full: int

    @property
    def share(self) -> float:
        """In 0..1; 1 where there is no function."""
        return self.full / self.functions if self.functions else 1.0


def typed(sources: Iterable[Source]) -> Typed:
    full = [_is_full(name, function) for source in sources for name, function in source.functions()]
    return Typed(len(full), sum(full))


def any_in_public(sources: Iterable[Source]) -> list[str]:
    """``path:line name`` of each public function or method whose signature says ``Any``."""
    return [
        f"{source.path}:{function.lineno} {name}"
        for source in sources
        for name, function in _public(source)
        if any(_says_any(annotation) for annotation in _annotations(function))
    ]


def _is_full(name: str, function: Function) -> bool:
    """Whatever a method calls its first parameter, ``self`` and ``cls`` need no annotation."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    if arguments and arguments[0].arg in ("self", "cls") and "." in name:
        arguments = arguments[1:]
    arguments += [*function.args.kwonlyargs, *filter(None, (function.args.vararg, function.args.kwarg))]
    return function.returns is not None and all(one.annotation is not None for one in arguments)


def _public(source: Source) -> Iterator[tuple[str, Function]]:
    """Functions and methods that others may call: no name on the way to them is private or that of a function."""
    inside = {f"{name}." for name, _ in source.functions()}
    for name, function in source.functions():
        hidden = any(part.startswith("_") and not part.endswith("__") for part in name.split("."))
        if not hidden and not any(name.startswith(outer) for outer in inside):
            yield name, function


def _annotations(function: Function) -> Iterator[ast.expr]:
    arguments = function.args
    everyone = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    yield from (one.annotation for one in everyone if one is not None and one.annotation is not None)
    if function.returns is not None:
        yield function.returns


def _says_any(annotation: ast.expr) -> bool:
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and node.id == "Any":
            return True
        if isinstance(node, ast.Attribute) and node.attr == "Any":
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _says_any(_read(node.value)):
            return True
    return False


def _read(text: str) -> ast.expr:
    """An annotation that is written as text; text that is none, such as a ``Literal``'s, says nothing."""
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return ast.Tuple([])
