r"""Trees of answers in LaTeX, for the benchmark alone: read, evaluated and written without any verifier's code.

A small dialect: what printed references of school and college mathematics mostly are. The rest is :class:`Unread`.
"""

from __future__ import annotations

from dataclasses import dataclass


class Unread(ValueError):
    """The text is beyond the dialect."""


@dataclass(frozen=True, slots=True)
class Num:
    text: str


@dataclass(frozen=True, slots=True)
class Name:
    text: str


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with their signs, 1 or -1; ``signs`` of 0 stands for plus or minus."""

    terms: tuple[tuple[int, Expr], ...]


@dataclass(frozen=True, slots=True)
class Prod:
    factors: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Frac:
    above: Expr
    below: Expr


@dataclass(frozen=True, slots=True)
class Pow:
    base: Expr
    exponent: Expr


@dataclass(frozen=True, slots=True)
class Fn:
    """``sin``, ``ln``, ``sqrt``, ``abs``, ``factorial``, ...; ``log`` has its base second, ``sqrt`` its index."""

    name: str
    arguments: tuple[Expr, ...]


Expr = Num | Name | Sum | Prod | Frac | Pow | Fn


@dataclass(frozen=True, slots=True)
class Group:
    """A tuple, interval or set: two brackets around expressions."""

    left: str
    right: str
    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Union:
    groups: tuple[Group, ...]


Side = Expr | Group | Union


@dataclass(frozen=True, slots=True)
class Item:
    """Sides with the relations between them; a lone side has none. ``words`` stand after it: a unit, mostly."""

    sides: tuple[Side, ...]
    relations: tuple[str, ...]
    words: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """``separators`` between the items: ``,``, ``;``, ``or``, ``and``."""

    items: tuple[Item, ...]
    separators: tuple[str, ...]


def children(node: Expr) -> tuple[Expr, ...]:
    if isinstance(node, Sum):
        return tuple(term for _, term in node.terms)
    if isinstance(node, Prod):
        return node.factors
    if isinstance(node, Frac):
        return node.above, node.below
    if isinstance(node, Pow):
        return node.base, node.exponent
    return node.arguments if isinstance(node, Fn) else ()


def leaves(node: Side) -> tuple[Expr, ...]:
    if isinstance(node, Group):
        return node.parts
    return tuple(part for group in node.groups for part in group.parts) if isinstance(node, Union) else (node,)


def names(node: Expr) -> set[str]:
    found = {node.text} if isinstance(node, Name) else set()
    return found.union(*map(names, children(node)))


def names_of(answer: Answer) -> set[str]:
    every = [leaf for item in answer.items for side in item.sides for leaf in leaves(side)]
    return set().union(*map(names, every))
