r"""The parser of expressions: recursive descent over the tokens of a plain text, linear, bounded in depth.

Products may be implicit (``2x``, ``3\sqrt{2}``, ``(a+b)(a-b)``), a whole number before a proper fraction is a
mixed number, ``\sin 2x`` takes the product after it, ``\sin^2 x`` is a power and ``\sin^{-1} x`` the inverse.

Not covered, so :class:`Unread`: sums over an index, integrals, limits, derivatives, text, relations, lists.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from verifiers.math.algebra.node import (
    APPLIED,
    CONSTANTS,
    DEGREE,
    MINUS_ONE,
    PI,
    Call,
    I,
    Node,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    fold_numbers,
    inverse,
    negative,
    replace_symbol,
    symbols,
)
from verifiers.math.algebra.token import Token, Unread, tokens

DEEPEST = 60
_END = Token("end", "")
_CLOSERS = {
    "(": ")", "[": "]", "{": "}", "\\{": "\\}", "|": "|", "\\lvert": "\\rvert", "\\vert": "\\vert", "\\mid": "\\mid",
    "\\lfloor": "\\rfloor", "\\lceil": "\\rceil", "\\lbrack": "\\rbrack", "\\lparen": "\\rparen",
}  # fmt: skip
_WRAPPED = {"|": "abs", "\\lvert": "abs", "\\vert": "abs", "\\lfloor": "floor", "\\lceil": "ceil"}
_TIMES = frozenset(("*", "\\cdot", "\\times", "\\ast", "\\cdotp"))
_OVER = frozenset(("/", "\\div", ":"))
_STARTS = frozenset(("(", "[", "{", "\\frac", "\\sqrt", "\\binom", "\\overline", "\\bar", *_CLOSERS)) - {"\\mid", "\\{"}
_SYNONYMS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_SYNONYMS |= {f"{prefix}{name}": f"ar{name}" for name in ("sinh", "cosh", "tanh") for prefix in ("a", "arc")}
_INVERSES = {name: f"arc{name}" for name in ("sin", "cos", "tan", "cot", "sec", "csc")}
_INVERSES |= {name: f"ar{name}" for name in ("sinh", "cosh", "tanh")}
MOST_TERMS = 12
"""Of a ratio that is told from a quotient."""
_OF_SEVERAL = frozenset(("max", "min", "gcd", "lcm"))


@lru_cache(maxsize=2048)
def expression(text: str, functions: frozenset[str] = frozenset()) -> Node | None:
    """The tree of a plain text, or None where it is no expression that is read here.

    The names in ``functions`` are applied to the bracket after them, any other is a factor.
    """
    try:
        return _Reader(tokens(text), functions).whole()
    except Unread:
        return None


class _Reader:
    def __init__(self, found: list[Token], functions: frozenset[str]) -> None:
        self._tokens = found
        self._functions = functions
        self._at = 0
        self._depth = 0
        self._bars = 0

    def whole(self) -> Node:
        node = self._sum()
        if self._at < len(self._tokens):
            raise Unread
        return node

    def _peek(self, ahead: int = 0) -> Token:
        place = self._at + ahead
        return self._tokens[place] if place < len(self._tokens) else _END

    def _next(self) -> Token:
        token = self._peek()
        self._at += 1
        return token

    def _met(self, mark: str) -> bool:
        if self._peek().kind == "mark" and self._peek().text == mark:
            self._at += 1
            return True
        return False

    def _need(self, mark: str) -> None:
        if not self._met(mark):
            raise Unread

    def _sum(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unread
        terms = [self._product()]
        while self._peek().kind == "mark" and self._peek().text in ("+", "-"):
            minus = self._next().text == "-"
            term = self._product()
            terms.append(negative(term) if minus else term)
        self._depth -= 1
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def _product(self) -> Node:
        factors = [self._signed()]
        while True:
            token = self._peek()
            if token.kind == "mark" and token.text in _TIMES:
                self._at += 1
                factors.append(self._signed())
            elif token.kind == "mark" and token.text in _OVER:
                self._at += 1
                if token.text == ":" and 1 < sum(one.text == ":" for one in self._tokens) < MOST_TERMS:
                    raise Unread  # a ratio of several; the longest are read here, as no algebra system bears them
                factors.append(inverse(self._signed()))
            elif self._starts(token):
                if token.kind == "number" and self._peek(-1).kind == "number":
                    raise Unread
                factors.append(self._power())
            else:
                return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def _starts(self, token: Token) -> bool:
        if token.kind != "mark":
            return token.kind != "end"
        return token.text in _STARTS and not (self._bars and token.text in ("|", "\\vert"))

    def _signed(self) -> Node:
        minus = False
        while self._peek().kind == "mark" and self._peek().text in ("+", "-"):
            minus ^= self._next().text == "-"
        node = self._power()
        return negative(node) if minus else node

    def _power(self) -> Node:
        node = self._atom()
        while True:
            if self._met("^"):
                node = Power(node, self._exponent())
            elif self._met("!"):
                node = Call("double_factorial" if self._met("!") else "factorial", (node,))
            elif self._met("°"):
                node = Product((node, DEGREE))
            elif self._met("%"):
                node = Product((node, Number(Fraction(1, 100))))
            else:
                return node

    def _exponent(self) -> Node:
        """``x^-1`` and ``10^12`` as they are meant, not as TeX would set them."""
        minus = self._met("-")
        token = self._peek()
        if token.kind == "number" and token.value is not None:
            self._at += 1
            node: Node = Number(token.value)
        else:
            node = self._atom()
        if self._met("^"):
            node = Power(node, self._exponent())
        return fold_numbers(negative(node) if minus else node)

    def _atom(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return self._mixed(token)
        if token.kind == "name":
            return self._named(token.text + self._subscript())
        if token.kind == "function":
            return self._function(_SYNONYMS.get(token.text, token.text))
        if token.text == "\\frac":
            above = self._argument()
            return Product((above, inverse(self._argument())))
        if token.text == "\\binom":
            above = self._argument()
            return Call("binomial", (above, self._argument()))
        if token.text in ("\\overline", "\\bar"):
            return _conjugate(self._argument())
        if token.text in _CLOSERS:
            return self._group(token.text)
        raise Unread

    def _named(self, name: str) -> Node:
        if name not in self._functions:
            return Symbol(name)
        if [self._peek(ahead).text for ahead in range(6)] == ["^", "{", "-", "1", "}", "("]:
            self._at += 5
            name += "^-1"
        if self._peek().text != "(":
            return Symbol(name)
        return Call(APPLIED + name, self._several())

    def _group(self, opener: str) -> Node:
        bars = opener in ("|", "\\vert")
        kept, self._bars = self._bars, int(bars)
        inner = self._sum()
        self._need(_CLOSERS[opener])
        self._bars = kept
        return Call(_WRAPPED[opener], (inner,)) if opener in _WRAPPED else inner

    def _subscript(self) -> str:
        written = ""
        if self._met("_"):
            if self._met("{"):
                while not self._met("}"):
                    written += self._piece()
            else:
                written = self._piece()
            written = "_" + written
        while self._met("'"):
            written += "'"
        return written

    def _piece(self) -> str:
        token = self._next()
        if token.kind not in ("number", "name") and token.text not in (",", "+", "-"):
            raise Unread
        return token.text

    def _mixed(self, token: Token) -> Node:
        r"""``2\frac12`` and ``2 1/2`` are mixed numbers where the fraction is proper and of whole numbers."""
        assert token.value is not None
        if self._peek().text == "\\frac" and token.text.isdigit():
            self._at += 1
            return self._beside(token.value, self._argument(), self._argument())
        if self._peek().kind == "number" and self._peek(1).text == "/" and self._peek(2).kind == "number":
            above_value, below_value = self._peek().value or Fraction(0), self._peek(2).value or Fraction(0)
            if token.text.isdigit() and 0 < above_value < below_value:
                self._at += 3
                return Number(token.value + above_value / below_value)
        return Number(token.value)

    def _beside(self, whole: Fraction, above: Node, below: Node) -> Node:
        if isinstance(above, Number) and isinstance(below, Number) and 0 < above.value < below.value:
            return Number(whole + above.value / below.value)
        return Product((Number(whole), above, inverse(below)))

    def _argument(self) -> Node:
        r"""An argument of ``\frac``: a group, a name, or one digit of what follows (``\frac12``)."""
        if self._met("{"):
            inner = self._sum()
            self._need("}")
            return inner
        token = self._peek()
        if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
            rest = token.text[1:]
            self._tokens[self._at] = Token("number", rest, Fraction(int(rest)))
            return Number(Fraction(int(token.text[0])))
        if token.kind == "number":
            self._at += 1
            return Number(token.value or Fraction(0))
        return self._atom()

    def _function(self, name: str) -> Node:
        if name == "sqrt":
            return self._root()
        if name == "log" and self._met("_"):
            base = self._group("{") if self._met("{") else self._atom_of_base()
            if base == Number(Fraction(10)):
                return Call("lg", (self._operand(),))
            return Product((Call("ln", (self._operand(),)), inverse(Call("ln", (base,)))))
        exponent: Node | None = None
        if self._met("^"):
            exponent = self._exponent()
            if exponent == MINUS_ONE and name in _INVERSES:
                name, exponent = _INVERSES[name], None
        node = self._called(name)
        return node if exponent is None else Power(node, exponent)

    def _atom_of_base(self) -> Node:
        r"""``\log_2 8``, and ``\log_28`` as TeX reads it: one digit."""
        token = self._peek()
        if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
            return self._argument()
        return self._atom()

    def _called(self, name: str) -> Node:
        if name in _OF_SEVERAL:
            return Call(name, self._several())
        operand = self._operand()
        if name == "cbrt":
            return Power(operand, Number(Fraction(1, 3)))
        if name == "exp":
            return Power(Symbol("e"), operand)
        if name == "cis":
            return Sum((Call("cos", (operand,)), Product((I, Call("sin", (operand,))))))
        return Call(name, (operand,))

    def _several(self) -> tuple[Node, ...]:
        self._need("(")
        arguments = [self._sum()]
        while self._met(","):
            arguments.append(self._sum())
        self._need(")")
        return tuple(arguments)

    def _root(self) -> Node:
        index: Node = Number(Fraction(2))
        if self._met("["):
            index = self._group("[")
        # nobody writes a root of 1 times 6 as \sqrt16, though TeX would set that
        radicand = self._argument() if self._peek().kind != "number" else self._atom()
        exponent = Number(1 / index.value) if isinstance(index, Number) and index.value else inverse(index)
        return Power(radicand, exponent)

    def _operand(self) -> Node:
        """What a function is applied to: a group, or the implicit product that follows."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise Unread
        node = self._followed()
        self._depth -= 1
        return node

    def _followed(self) -> Node:
        token = self._peek()
        if token.kind == "mark" and token.text in _CLOSERS:
            return self._atom()
        if token.kind == "function" and token.text != "sqrt":
            return self._power()
        factors = [self._signed()]
        while self._peek().kind in ("number", "name") or self._peek().text in ("\\frac", "\\sqrt"):
            factors.append(self._power())
        if factors[-1] == PI and self._met("/"):
            factors.append(inverse(self._power()))
        return factors[0] if len(factors) == 1 else Product(tuple(factors))


def _conjugate(node: Node) -> Node:
    """Of a complex number; over a letter it makes another name, over anything else it says something else."""
    if isinstance(node, Symbol) and node.name not in CONSTANTS:
        return Symbol(f"{node.name} bar")
    names = symbols(node)
    if I.name not in names or names - CONSTANTS:
        raise Unread
    return replace_symbol(node, I.name, negative(I))
