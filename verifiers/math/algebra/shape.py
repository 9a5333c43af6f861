r"""The shape of an expression: a text that two spellings of one formula share, however they are ordered and bracketed.

Operands that commute are sorted, brackets within a sum or a product, ``+ 0``, ``* 1``, ``/ 1`` and ``^1`` go, a
quotient is a product with a negative power. ``merged`` counts equal operands: ``x * x`` is ``x^2``, ``a + 1 - 1`` is
``a``. Nothing is worked out: ``2 * 3`` is not ``6``, ``0.5`` is not ``1/2``. Linear but for sorting, bounded in depth.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from verifiers.math.algebra.grammar import DEEPEST
from verifiers.math.algebra.node import MINUS_ONE, Call, Node, Number, Power, Product, Sum, Symbol, children

_UNORDERED = frozenset(("gcd", "lcm", "max", "min"))


class TooDeep(ValueError):
    """The expression is nested beyond the bound."""


def shape(node: Node, *, merged: bool) -> str:
    """Raises :class:`TooDeep`."""
    return _Shaper(merged).of(node)


def operates(node: Node) -> bool:
    """Whether there is something to work out: more than a number or a name, and its sign."""
    if isinstance(node, Product) and len(node.factors) == 2 and node.factors[0] == MINUS_ONE:
        node = node.factors[1]
    return not isinstance(node, Number | Symbol)


def operations(node: Node) -> list[Node]:
    """Every part of an expression that operates, itself included. Raises :class:`TooDeep`."""
    found: list[Node] = []
    level = [node]
    for _ in range(DEEPEST):
        found += filter(operates, level)
        level = [child for one in level for child in children(one)]
        if not level:
            return found
    raise TooDeep


def operands(node: Node) -> int:
    """How many numbers and names an expression is made of, without the neutral ones."""
    count = 0
    left = [node]
    while left:
        one = left.pop()
        left += children(one)
        count += isinstance(one, Symbol) or (isinstance(one, Number) and one.value not in (0, 1, -1))
    return count


class _Shaper:
    def __init__(self, merged: bool) -> None:
        self._merged = merged
        self._depth = 0

    def of(self, node: Node) -> str:
        self._depth += 1
        if self._depth > DEEPEST:
            raise TooDeep
        found = self._of(node)
        self._depth -= 1
        return found

    def _of(self, node: Node) -> str:
        terms: list[tuple[str, int]] = []
        self._terms(node, 1, terms)
        written = sorted(f"{count}*{text}" for text, count in self._counted(terms) if text != "0")
        if len(written) == 1 and written[0].startswith("1*"):
            return written[0][2:]
        return f"({'+'.join(written)})"

    def _terms(self, node: Node, sign: int, found: list[tuple[str, int]]) -> None:
        if isinstance(node, Sum):
            for term in node.terms:
                self._terms(term, sign, found)
            return
        if isinstance(node, Product) and len(node.factors) == 2 and node.factors[0] == MINUS_ONE:
            self._terms(node.factors[1], -sign, found)
            return
        factors: list[tuple[str, int]] = []
        sign *= self._factors(node, 1, factors)
        written = sorted(f"{base}^{power}" if power != 1 else base for base, power in self._counted(factors))
        found.append(("·".join(written) or "1", sign))

    def _factors(self, node: Node, power: int, found: list[tuple[str, int]]) -> int:
        """Adds the factors; their common sign."""
        if isinstance(node, Product):
            sign = 1
            for factor in node.factors:
                sign *= self._factors(factor, power, found)
            return sign
        if isinstance(node, Power) and (whole := _whole(node.exponent)) is not None:
            return self._factors(node.base, power * whole, found)
        if isinstance(node, Number):
            if abs(node.value) != 1:
                found.append((str(abs(node.value)), power))
            return -1 if node.value < 0 and power % 2 else 1
        found.append((self._base(node), power))
        return 1

    def _base(self, node: Node) -> str:
        if isinstance(node, Symbol):
            return node.name
        if isinstance(node, Power):
            return f"[{self.of(node.base)}^{self.of(node.exponent)}]"
        if isinstance(node, Call):
            arguments = [self.of(argument) for argument in _arguments(node)]
            return f"{node.name}({','.join(sorted(arguments) if node.name in _UNORDERED else arguments)})"
        return self.of(node)

    def _counted(self, operands: list[tuple[str, int]]) -> list[tuple[str, int]]:
        if not self._merged:
            return operands
        total: Counter[str] = Counter()
        for text, count in operands:
            total[text] += count
        return [(text, count) for text, count in total.items() if count]


def _whole(exponent: Node) -> int | None:
    value = exponent.value if isinstance(exponent, Number) else Fraction(1, 2)
    return value.numerator if value.denominator == 1 else None


def _arguments(node: Call) -> tuple[Node, ...]:
    """Of a binomial coefficient with the smaller of its two lower numbers."""
    if node.name == "binomial":
        above, below = node.arguments
        if isinstance(above, Number) and isinstance(below, Number):
            return above, Number(min(below.value, above.value - below.value))
    return node.arguments
