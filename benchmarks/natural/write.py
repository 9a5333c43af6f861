"""Trees of the benchmark's dialect as LaTeX, and as the plain text of a keyboard."""

from __future__ import annotations

from benchmarks.natural.tree import Answer, Expr, Fn, Frac, Group, Item, Name, Num, Pow, Prod, Side, Sum, Union

_LATEX = {"<=": "\\le", ">=": "\\ge", "!=": "\\neq", "~": "\\approx"}
_SUM, _PRODUCT, _POWER, _ATOM = range(4)


class Writer:
    """``plain``: ``2*x^3/sqrt(1+x^4)``; else LaTeX."""

    def __init__(self, *, plain: bool = False) -> None:
        self._plain = plain

    def answer(self, answer: Answer) -> str:
        found = self.item(answer.items[0])
        for separator, item in zip(answer.separators, answer.items[1:], strict=True):
            word = separator if self._plain else f"\\text{{ {separator} }}"
            found += (f"{separator} " if separator in ",;" else f" {word.strip()} ") + self.item(item)
        return found

    def item(self, item: Item) -> str:
        found = self.side(item.sides[0])
        for relation, side in zip(item.relations, item.sides[1:], strict=True):
            found += f" {relation if self._plain else _LATEX.get(relation, relation)} {self.side(side)}"
        if not item.words:
            return found
        return f"{found} {item.words}" if self._plain else f"{found} \\text{{ {item.words}}}"

    def side(self, side: Side) -> str:
        if isinstance(side, Union):
            return (" U " if self._plain else " \\cup ").join(map(self.side, side.groups))
        if isinstance(side, Group):
            brackets = side.left + ", ".join(map(self.expr, side.parts)) + side.right
            return brackets.replace("\\", "") if self._plain else brackets
        return self.expr(side)

    def expr(self, node: Expr) -> str:
        return self._at(node, _SUM)

    def _at(self, node: Expr, level: int) -> str:
        written, own = self._written(node)
        if own >= level:
            return written
        return f"({written})" if self._plain else f"\\left({written}\\right)"

    def _written(self, node: Expr) -> tuple[str, int]:
        if isinstance(node, Num):
            return node.text, _ATOM
        if isinstance(node, Name):
            return self._name(node.text), _ATOM
        if isinstance(node, Sum):
            return self._sum(node), _SUM
        if isinstance(node, Prod):
            return self._product(node), _PRODUCT
        if isinstance(node, Frac):
            if self._plain:
                return f"{self._at(node.above, _PRODUCT)}/{self._at(node.below, _POWER)}", _PRODUCT
            return f"\\frac{{{self.expr(node.above)}}}{{{self.expr(node.below)}}}", _ATOM
        if isinstance(node, Pow):
            if self._plain:
                return f"{self._at(node.base, _ATOM)}^{self._at(node.exponent, _ATOM)}", _POWER
            base = self._at(node.base, _ATOM)
            if isinstance(node.base, Fn | Frac):
                base = f"\\left({base}\\right)"
            return f"{base}^{{{self.expr(node.exponent)}}}", _POWER
        return self._function(node), _POWER if node.name in ("factorial", "degrees") else _ATOM

    def _name(self, text: str) -> str:
        head, _, below = text.partition("_")
        primes = "'" * text.count("'")
        below = below.replace("'", "")
        if self._plain:
            return head.replace("\\", "").rstrip("'") + (f"_{below}" if below else "") + primes
        return head.rstrip("'") + (f"_{{{below}}}" if below else "") + primes

    def _sum(self, node: Sum) -> str:
        found = ""
        for place, (sign, term) in enumerate(node.terms):
            mark = {1: "+", -1: "-", 0: "+-" if self._plain else "\\pm "}[sign]
            lead = "" if sign == 1 and not place else mark
            found += lead + self._at(term, _PRODUCT)
        return found

    def _product(self, node: Prod) -> str:
        if self._plain:
            return "*".join(self._at(factor, _POWER) for factor in node.factors)
        found = ""
        for factor in node.factors:
            written = self._at(factor, _POWER)
            number = written[0].isdigit() or (written.startswith("\\frac") and found[-1:].isdigit())
            if found and (number or _is_call(factor, found)):
                found += " \\cdot "
            elif found and found[-1].isalnum() and written[0].isalpha():
                found += " "
            found += written
        return found

    def _function(self, node: Fn) -> str:
        inner = self.expr(node.arguments[0])
        if node.name == "abs":
            return f"|{inner}|"
        if node.name == "degrees":
            return self._at(node.arguments[0], _ATOM) + ("°" if self._plain else "^{\\circ}")
        if node.name == "factorial":
            return f"{self._at(node.arguments[0], _ATOM)}!"
        if node.name == "sqrt":
            if self._plain:
                if len(node.arguments) > 1:
                    return f"({inner})^(1/{self._at(node.arguments[1], _ATOM)})"
                return f"sqrt({inner})"
            index = f"[{self.expr(node.arguments[1])}]" if len(node.arguments) > 1 else ""
            return f"\\sqrt{index}{{{inner}}}"
        if node.name.startswith("call "):
            return f"{self._name(node.name[5:])}({', '.join(map(self.expr, node.arguments))})"
        if node.name == "log" and len(node.arguments) > 1:
            base = self.expr(node.arguments[1])
            return f"log_{base}({inner})" if self._plain else f"\\log_{{{base}}}\\left({inner}\\right)"
        return f"{node.name}({inner})" if self._plain else f"\\{node.name}\\left({inner}\\right)"


def _is_call(factor: Expr, before: str) -> bool:
    """Whether a bracket after a letter would read as the letter's argument."""
    return isinstance(factor, Sum) and before[-1].isalpha()
