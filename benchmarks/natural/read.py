"""The reader of the benchmark's dialect of LaTeX, and the tokens that near misses change."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from benchmarks.natural.tree import Answer, Expr, Fn, Frac, Group, Item, Name, Num, Pow, Prod, Side, Sum, Union, Unread

FUNCTIONS = frozenset(
    ("sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "ln", "log", "exp")
)
GREEK = frozenset(
    ("alpha", "beta", "gamma", "delta", "epsilon", "theta", "lambda", "mu", "nu", "rho", "sigma", "tau", "phi", "psi",
     "omega", "pi", "Delta", "Omega", "Phi", "Gamma", "varphi", "infty", "ell")
)  # fmt: skip
RELATIONS = {
    "=": "=", "<": "<", ">": ">", "\\le": "<=", "\\leq": "<=", "\\ge": ">=", "\\geq": ">=", "\\leqslant": "<=",
    "\\geqslant": ">=", "\\ne": "!=", "\\neq": "!=", "\\approx": "~",
}  # fmt: skip
_TOKEN = re.compile(
    r"(?P<skip>\s+|\$|~|\\[,;:! ]|\\(?:left|right|displaystyle|big|Big|bigl|bigr|limits)(?![A-Za-z]))"
    r"|(?P<words>\\(?:text|mathrm|mbox|textrm|operatorname)\s*\{[^{}]*\})"
    r"|(?P<fraction>\\[dt]?frac(?![A-Za-z]))"
    r"|(?P<command>\\[A-Za-z]+|\\[{}|])"
    # in (2,251,252) the commas part the numbers of a point
    r"|(?P<number>(?<![(,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"|(?P<word>(?<![A-Za-z])(?:or|and)(?![A-Za-z]))"
    r"|(?P<letter>[A-Za-z])"
    r"|(?P<mark>[-+*/^_(){}\[\]|!=<>,;:'%])"
)
_COMMAND = re.compile(r"\\(?:text|mathrm|mbox|textrm|operatorname)\s*\{[^{}]*\}|\\[A-Za-z]+")
_PROSE = re.compile(r"[A-Za-z]{3,}|\b(?:is|at|of|if|in)\b")


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """Everything but layout, in order. Raises :class:`Unread`."""
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unread(text[at : at + 20])
        kind = match.lastgroup or ""
        if kind != "skip":
            found.append(Token(kind, match[0], match.start(), match.end()))
        at = match.end()
    return found


class Calls(Enum):
    """What a letter before a parenthesis is."""

    NEVER = "a factor"
    ALWAYS = "a function"
    LIKELY = "a function where there is but one letter or number inside, or a list"


def read(text: str, calls: Calls = Calls.LIKELY) -> Answer:
    """The tree of an answer. Raises :class:`Unread`."""
    if _PROSE.search(_COMMAND.sub(" ", text)) or "\\!" in text:
        raise Unread("prose")
    return _Reader(tokens(text.strip().rstrip(".")), calls).answer()


class _Reader:
    def __init__(self, found: list[Token], calls: Calls) -> None:
        self._tokens = found
        self._calls = calls
        self._at = 0
        self._bars = 0

    def _peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place].text if place < len(self._tokens) else ""

    def _kind(self) -> str:
        return self._tokens[self._at].kind if self._at < len(self._tokens) else ""

    def _met(self, *texts: str) -> bool:
        if self._peek() in texts:
            self._at += 1
            return True
        return False

    def _need(self, text: str) -> None:
        if not self._met(text):
            raise Unread(f"no {text}")

    def answer(self) -> Answer:
        items, separators = [self._item()], []
        while self._at < len(self._tokens):
            separators.append(self._separator())
            items.append(self._item())
        return Answer(tuple(items), tuple(separators))

    def _separator(self) -> str:
        found = ""
        while True:
            word = _inside(self._peek()) if self._kind() == "words" else self._peek()
            if word not in (",", ";", "or", "and"):
                break
            found = word
            self._at += 1
        if not found:
            raise Unread("no separator")
        return found

    def _item(self) -> Item:
        sides: list[Side] = [self._side()]
        relations = []
        while self._peek() in RELATIONS:
            relations.append(RELATIONS[self._peek()])
            self._at += 1
            sides.append(self._side())
        words = ""
        while self._kind() == "words" and _inside(self._peek()) not in ("or", "and"):
            words += " " + _inside(self._peek())
            self._at += 1
        return Item(tuple(sides), tuple(relations), words.strip())

    def _side(self) -> Side:
        group = self._group()
        if group is None:
            return self._sum()
        groups = [group]
        while self._met("\\cup"):
            following = self._group()
            if following is None:
                raise Unread("a union of expressions")
            groups.append(following)
        return Union(tuple(groups)) if len(groups) > 1 else group

    def _group(self) -> Group | None:
        """A tuple, interval or set that is the whole side, else None and nothing is taken."""
        start = self._at
        left = self._peek()
        if left not in ("(", "[", "\\{"):
            return None
        self._at += 1
        try:
            parts = [self._sum()]
            while self._met(","):
                parts.append(self._sum())
        except Unread:
            self._at = start
            return None
        right = self._peek()
        whole = right in (")", "]", "\\}") and (len(parts) > 1 or left == "\\{")
        after = self._peek(1)
        if not whole or not (after in ("", ",", ";", "\\cup", "or", "and", "$") or after.startswith("\\text")):
            self._at = start
            return None
        self._at += 1
        return Group(left, right, tuple(parts))

    def _sum(self) -> Expr:
        terms: list[tuple[int, Expr]] = []
        while True:
            sign = 1
            while self._peek() in ("+", "-", "\\pm", "\\mp"):
                sign *= {"+": 1, "-": -1}.get(self._peek(), 0)
                self._at += 1
            terms.append((sign, self._product()))
            if self._peek() not in ("+", "-", "\\pm"):
                break
        return terms[0][1] if len(terms) == 1 and terms[0][0] == 1 else Sum(tuple(terms))

    def _product(self) -> Expr:
        factors = [self._power()]
        while True:
            if self._met("\\cdot", "\\times", "*"):
                minus = self._met("-")
                factor = self._power()
                factors.append(Sum(((-1, factor),)) if minus else factor)
            elif self._met("/"):
                below = self._power()
                above = factors[0] if len(factors) == 1 else Prod(tuple(factors))
                factors = [Frac(above, below)]
            elif self._starts():
                if isinstance(factors[-1], Num) and self._kind() == "fraction":
                    raise Unread("a mixed number")
                factors.append(self._power())
            else:
                return factors[0] if len(factors) == 1 else Prod(tuple(factors))

    def _starts(self) -> bool:
        text, kind = self._peek(), self._kind()
        if kind in ("number", "letter", "fraction"):
            return True
        if kind == "words":
            return len(_inside(text)) == 1 and _inside(text) in "ei"
        if kind == "command":
            return text[1:] in FUNCTIONS or text[1:] in GREEK or text == "\\sqrt"
        return text in ("(", "[", "{") or (text == "|" and not self._bars)

    def _power(self) -> Expr:
        node = self._atom()
        while True:
            if self._peek() == "^" and self._peek(1) == "\\circ":
                self._at += 2
                node = Fn("degrees", (node,))
            elif self._peek() == "^" and self._peek(1) == "{" and self._peek(2) == "\\circ" and self._peek(3) == "}":
                self._at += 4
                node = Fn("degrees", (node,))
            elif self._met("^"):
                node = Pow(node, self._argument())
            elif self._met("!"):
                node = Fn("factorial", (node,))
            elif self._met("%", "\\%"):
                node = Frac(node, Num("100"))
            else:
                return node

    def _argument(self) -> Expr:
        """One token, or a group in braces."""
        if self._met("{"):
            inner = self._sum()
            self._need("}")
            return inner
        if self._kind() == "number" and len(self._peek()) > 1:
            raise Unread("a number without braces")
        minus = self._met("-")
        if minus:
            raise Unread("a sign without braces")
        return self._atom()

    def _atom(self) -> Expr:
        if self._at >= len(self._tokens):
            raise Unread("the end")
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == "number":
            return Num(token.text.replace(",", ""))
        if token.kind == "letter":
            return self._name(token.text)
        if token.kind == "words" and _inside(token.text) in ("e", "i"):
            return Name(_inside(token.text))
        if token.kind == "fraction":
            above = self._argument()
            return Frac(above, self._argument())
        if token.kind == "command":
            return self._command(token.text[1:])
        if token.text in ("(", "[", "{"):
            inner = self._sum()
            self._need({"(": ")", "[": "]", "{": "}"}[token.text])
            return inner
        if token.text == "|" and not self._bars:
            self._bars += 1
            inner = self._sum()
            self._bars -= 1
            self._need("|")
            return Fn("abs", (inner,))
        raise Unread(token.text)

    def _name(self, letter: str) -> Expr:
        name = letter + self._subscript()
        if self._peek() == "^" and self._peek(1) == "{" and self._peek(2) == "-" and self._peek(5) == "(":
            raise Unread("an inverse function")
        if self._peek() == "(" and name not in ("e", "i") and self._is_call():
            self._at += 1
            arguments = [self._sum()]
            while self._met(","):
                arguments.append(self._sum())
            self._need(")")
            return Fn("call " + name, tuple(arguments))
        return Name(name)

    def _is_call(self) -> bool:
        if self._calls is not Calls.LIKELY:
            return self._calls is Calls.ALWAYS
        simple = self._at + 1 < len(self._tokens) and self._tokens[self._at + 1].kind in ("letter", "number")
        return simple and self._peek(2) in (")", ",")

    def _subscript(self) -> str:
        found = ""
        if self._met("_"):
            found = "_"
            braced = self._met("{")
            while True:
                if self._kind() not in ("number", "letter"):
                    raise Unread("a subscript")
                found += self._peek()
                self._at += 1
                if not braced or self._met("}"):
                    break
        while self._met("'"):
            found += "'"
        return found

    def _command(self, name: str) -> Expr:
        if name == "sqrt":
            index: tuple[Expr, ...] = ()
            if self._met("["):
                index = (self._sum(),)
                self._need("]")
            return Fn("sqrt", (self._argument(), *index))
        if name in FUNCTIONS:
            return self._function(name)
        if name in GREEK:
            return Name("\\" + name + self._subscript())
        raise Unread(name)

    def _function(self, name: str) -> Expr:
        base: tuple[Expr, ...] = ()
        if name == "log" and self._met("_"):
            base = (self._argument(),)
        exponent = self._argument() if self._met("^") else None
        if exponent is not None and not isinstance(exponent, Num):
            raise Unread("a function with an odd exponent")
        if self._peek() in ("(", "|", "["):
            inner = self._atom()
        else:
            inner = self._power()
            # the argument without brackets: 2 x, \pi t
            while self._kind() in ("number", "letter") or self._peek() == "\\pi":
                inner = Prod((inner, self._power()))
        found: Expr = Fn(name, (inner, *base))
        return found if exponent is None else Pow(found, exponent)


def _inside(words: str) -> str:
    return words[words.find("{") + 1 : -1].strip(" ~") if "{" in words else words
